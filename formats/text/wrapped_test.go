package text

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TR-02: a line of a dialogue, list, log, poem or address is its own segment,
// whether it is short or long, and stays on its line.
func TestLinesAreSegments(t *testing.T) {
	for name, s := range map[string]string{
		"dialogue": `Ana: Good morning, I wanted to ask whether the contract is signed
Ben: Good morning Ana, yes, the other side signed it only yesterday
Ana: Wonderful, then we can begin with the work on Monday morning
Ben: we should tell the suppliers before that, they need some days`,
		"dialogue in lower case": `ana: i wanted to ask whether the contract is signed by them now
ben: yes, the other side signed it yesterday as far as i was told
ana: wonderful, then we can begin with the work on monday morning
`,
		"long names": `Dr. María Fernández: the results of the second trial are better than expected
The Chair: thank you, we will look at them again in the session of tomorrow
Dr. María Fernández: I will send the tables to all members before the evening`,
		"dashes":           "—No sé si vamos a llegar a tiempo con todo este tráfico de hoy\n—llegaremos, siempre llegamos tarde pero llegamos al fin y al cabo\n—eso dices siempre y luego nos quedamos sin cenar en el restaurante",
		"in quotes":        "“I do not know whether we will be there in time for the dinner”\n“we always come late but in the end we always come to the dinner”\n“that is what you always say and then there is nothing left to eat”",
		"chinese dialogue": "小明：我今天早上去了图书馆，借了三本关于历史的书回来看看\n小红：那太好了，我也想去图书馆借几本书，可是一直没有时间\n小明：那我们明天下午一起去吧，图书馆一直开到晚上八点钟呢",
		"list":             "- the contract with the supplier has to be signed by both sides\n- the machine has to be moved into the new hall before the winter\n- all of the staff have to be told about the new working hours",
		"plain list":       "Contract with the supplier, signed by both sides and stamped twice\nMachine moved into the new hall before the beginning of the winter\nStaff informed about the new working hours and the holidays as well",
		"numbers":          "1. the contract with the supplier has to be signed by both sides\n2. the machine has to be moved into the new hall before the winter\n3. all of the staff have to be told about the new working hours",
		"letters":          "a) der Vertrag mit dem Lieferanten ist von beiden Seiten zu zeichnen\nb) die Maschine ist vor dem Winter in die neue Halle zu bringen\nc) alle Mitarbeiter sind über die neuen Arbeitszeiten zu informieren",
		"log":              "2026-11-22 10:00:01 INFO the engine has started and listens on its port\n2026-11-22 10:00:02 WARN the index is older than the files and is rebuilt\n2026-11-22 10:00:09 INFO the index has been rebuilt in seven seconds",
		"log words":        "info the engine has started and listens on the port it was given\ninfo the index is older than the files in the folder and is rebuilt\ninfo the index has been rebuilt and the engine waits for requests",
		"poem":             "Shall I compare thee to a summer's day, or to a night in May of gold\nThou art more lovely and more temperate than all the winds of old\nRough winds do shake the darling buds of May and all the world is cold",
		"verses":           "Érase un hombre a una nariz pegado, y a nada más estaba atado,\nérase una nariz superlativa, que siempre estaba muy activa,\nérase una nariz sayón y escriba, que nunca tuvo quien reciba,",
		"sentences":        "The contract is signed by both sides and has been sent to everybody.\nthe machine was moved into the new hall before the winter had begun.\nall of the staff were told about the new working hours in the summer.",
		"address":          "Atelier und Söhne GmbH\nMusterstraße 12\n80331 München\nDeutschland",
		"groceries":        "Leche\nPan\nHuevos",
		"ragged":           "the contract with the supplier that both sides have to sign before the end of the year\nthe new hall and its machine, as agreed\nworking hours of all of the staff in the summer and in the winter",
	} {
		s = strings.TrimSuffix(s, "\n")
		want := strings.Split(s, "\n")
		segs := segments(t, "a.txt", s)
		require.Equal(t, want, texts(segs), name)
		targets := map[string]string{}
		for i, g := range segs {
			targets[g.ID] = strings.Repeat("x", i+1) + " " + g.Text + " and more words than there were"
		}
		got, err := replace(t, "a.txt", s, targets)
		require.NoError(t, err, name)
		for i, l := range strings.Split(got, "\n") {
			require.Equal(t, targets[segs[i].ID], l, "%s: each line keeps to itself", name)
		}
	}
}

// Wrapped prose is one segment, in any language; headings above it and items
// around it are not part of it.
func TestWrappedProse(t *testing.T) {
	for name, s := range map[string]string{
		"english":  "The quick brown fox jumps over the lazy dog, and when it has\ndone so it goes home to its den. There it sleeps until the\nmorning, when the sun comes up over the hills and it wakes.",
		"short":    "When the sun comes up over the hills and the fox wakes from its\nsleep, it goes out again.",
		"german":   "Der schnelle braune Fuchs springt über den faulen Hund, und wenn\ner das getan hat, geht er nach Hause in seinen Bau. Dort schläft\ner bis zum Morgen, bis die Sonne über den Hügeln steht und die\nTiere des Waldes erwachen und hinausgehen.",
		"spanish":  "El veloz zorro marrón salta sobre el perro perezoso y, cuando lo\nha hecho, vuelve a su madriguera. Allí duerme hasta la mañana,\ncuando el sol sale sobre las colinas y el zorro se despierta de\nnuevo.",
		"french":   "Le vif renard brun saute par-dessus le chien paresseux et, quand\nil l'a fait, il rentre dans sa tanière. Il y dort jusqu'au matin,\nquand le soleil se lève sur les collines et que le renard se\nréveille.",
		"russian":  "Быстрая коричневая лиса прыгает через ленивую собаку и, когда она\nэто сделала, идёт домой в свою нору. Там она спит до самого утра,\nпока солнце не взойдёт над холмами и лиса не проснётся.",
		"chinese":  "敏捷的棕色狐狸跳过了懒狗，当它跳完之后就回到自己的洞里去了那里很\n安静，它一直睡到早晨，直到太阳从山上升起来，狐狸醒来以后又出去寻\n找食物。",
		"narrow":   "The quick brown fox jumps over the\nlazy dog and when it has done so it\ngoes home to its den where it then\nsleeps until the morning.",
		"capitals": "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG AND WHEN IT HAS DONE\nSO IT GOES HOME TO ITS DEN WHERE IT SLEEPS UNTIL THE MORNING.",
		"arabic":   "يقفز الثعلب البني السريع فوق الكلب الكسول وعندما ينتهي من ذلك يعود\nإلى بيته في الغابة حيث ينام حتى الصباح عندما تشرق الشمس فوق التلال\nويستيقظ الثعلب من نومه.",
		"indented": "   The quick brown fox jumps over the lazy dog, and when it has\n   done so it goes home to its den. There it sleeps until the\n   morning, when the sun comes up over the hills and it wakes.",
	} {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		require.Equal(t, []string{strings.Join(lines, " ")}, texts(segments(t, "a.txt", s)), name)
	}
	for s, want := range map[string]string{
		"Chapter 1\nThe quick brown fox jumps over the lazy dog, and when it has\ndone so it goes home to its den.":                "Chapter 1|The quick brown fox jumps over the lazy dog, and when it has done so it goes home to its den.",
		"- The quick brown fox jumps over the lazy dog, and when it has\n  done so it goes home to its den.\n- The dog sleeps on.": "- The quick brown fox jumps over the lazy dog, and when it has done so it goes home to its den.|- The dog sleeps on.",
		"ANA: The quick brown fox jumps over the lazy dog, and when it has\ndone so it goes home.\nBEN: And the dog?":              "ANA: The quick brown fox jumps over the lazy dog, and when it has done so it goes home.|BEN: And the dog?",
	} {
		require.Equal(t, want, strings.Join(texts(segments(t, "a.txt", s)), "|"))
	}
}

// Targets that are the sources give the same bytes: of every text of the corpus
// and of our own documents.
func TestPlainTextIdentity(t *testing.T) {
	root := formatstest.Root(t)
	files, wrapped := 0, 0
	for _, dir := range []string{filepath.Join(root, "testdata"), filepath.Join(root, "..", "shared", "corpus"), filepath.Join(root, "docs")} {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // the corpus may be elsewhere
			}
			switch filepath.Ext(p) {
			case ".txt", ".log", ".md", ".json", ".yaml":
			default:
				return nil
			}
			b, err := os.ReadFile(p)
			if err != nil || len(b) > 1<<20 {
				return err
			}
			segs, err := segmenter.Segments(context.Background(), formats.FromBytes("a.txt", b), formats.SegmentOptions{})
			if formats.CodeOf(err) != "" {
				return nil // damaged, as it says
			}
			require.NoError(t, err, p)
			same := map[string]string{}
			for _, s := range segs {
				same[s.ID] = s.Text
				if strings.HasPrefix(s.Place, "lines ") {
					wrapped++
				}
			}
			require.Len(t, same, len(segs), "%s: every id once", p)
			got, err := replace(t, "a.txt", string(b), same)
			require.NoError(t, err, p)
			require.True(t, got == string(b), "%s changed", p)
			files++
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, files, 10)
	t.Logf("%d files, %d segments of several lines", files, wrapped)
}

package plans

import (
	"math/rand/v2"
	"strings"
)

// The words that names of plans are made of: over 100,000 names.
var (
	adjectives = words(`able amber ample azure bold brave breezy bright brisk calm candid cheerful clever cosmic crisp curious daring dapper eager earnest
		elegant fearless festive gentle gleeful golden graceful hardy honest humble jolly jovial jubilant keen kind lively lucid lunar mellow merry mighty
		mindful modest nimble noble patient peaceful plucky polished proud quick quiet radiant rapid robust rosy serene silver sincere solar spry steady
		sturdy sunny swift tidy tranquil upbeat valiant velvet vivid warm wise witty zesty`)
	things = words(`acorn anchor apple aspen badger bamboo beacon birch breeze bridge brook canyon cedar cliff clover comet coral cove crane creek delta dune
		ember falcon fern field fjord forest garden glacier grove harbor hazel heron hill island juniper lagoon lake lantern lark leaf lotus maple meadow
		moon moss mountain oak ocean orchard otter owl pebble pine prairie quartz raven reef ridge river robin sage sparrow spruce star stone stream
		summit tangerine thicket tide tulip valley willow wren`)
	journeys = words(`adventure ascent ballad beginning bloom canvas chapter chorus compass crossing dance dawn discovery echo endeavor expedition festival
		flight harvest horizon invention journey launch legend melody mission mosaic odyssey overture parade passage pilgrimage poem promise quest
		revelation rhythm saga serenade sketch sonata song story symphony tale tapestry transformation trek venture verse vision voyage waltz whisper`)
)

func words(s string) []string { return strings.Fields(s) }

// randomName returns three words joined by hyphens (B17-02).
func randomName() string {
	pick := func(list []string) string { return list[rand.IntN(len(list))] }
	return pick(adjectives) + "-" + pick(things) + "-" + pick(journeys)
}

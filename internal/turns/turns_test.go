package turns

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func begun(t *Ticket) bool {
	select {
	case <-t.Turn():
		return true
	default:
		return false
	}
}

// A user with many tickets delays the first one of another by one.
func TestManyOfOneUser(t *testing.T) {
	q := New(Limits{Places: 1, Waiting: 200, Each: 100})
	first, err := q.Enter("a")
	require.NoError(t, err)
	require.True(t, begun(first))
	var many []*Ticket
	for range 100 {
		one, err := q.Enter("a")
		require.NoError(t, err)
		many = append(many, one)
	}
	_, err = q.Enter("a")
	require.ErrorIs(t, err, ErrShare)
	b, err := q.Enter("b")
	require.NoError(t, err)
	n, waiting := b.Ahead()
	require.True(t, waiting)
	require.Equal(t, 1, n)
	first.Leave()
	first.Leave() // counts once
	require.True(t, begun(many[0]))
	require.False(t, begun(b))
	many[0].Leave()
	require.True(t, begun(b))
	require.False(t, begun(many[1]))
	require.False(t, b.Withdraw(), "it has a place")
	require.True(t, many[1].Withdraw())
	b.Leave()
	require.True(t, begun(many[2]))
	q.Close()
	many[2].Leave()
	require.False(t, begun(many[3]), "a turn after the end")
	_, err = q.Enter("c")
	require.ErrorIs(t, err, ErrClosed)
}

// Places that are claimed are given to nobody else, and nobody who waits is passed by.
func TestClaim(t *testing.T) {
	q := New(Limits{Places: 2, Waiting: 2, Each: 1})
	c, ok := q.Claim()
	require.True(t, ok)
	require.Equal(t, 1, q.Free())
	one, err := q.Enter("a")
	require.NoError(t, err)
	require.True(t, begun(one))
	_, ok = q.Claim()
	require.False(t, ok)
	two, err := q.Enter("b")
	require.NoError(t, err)
	c.Leave()
	require.True(t, begun(two))
	three, err := q.Enter("b")
	require.NoError(t, err)
	_, err = q.Enter("b")
	require.ErrorIs(t, err, ErrShare)
	_, err = q.Enter("a")
	require.NoError(t, err)
	_, err = q.Enter("c")
	require.ErrorIs(t, err, ErrFull)
	four := q.Continue("b") // what was let in before is not refused
	require.Equal(t, 3, q.Waiting())
	one.Leave()
	require.True(t, begun(three))
	require.False(t, begun(four))
	_, ok = q.Claim()
	require.False(t, ok, "somebody waits")
}

// modelQueue is the rule in its simplest form: a list of users, each with a list of numbers.
type modelQueue struct {
	taken int
	turns [][]int // by user in the order of turns
	users []string
}

func (m *modelQueue) enter(l Limits, user string, id int) (err error) {
	all, mine := 0, 0
	for i, list := range m.turns {
		all += len(list)
		if m.users[i] == user {
			mine = len(list)
		}
	}
	switch {
	case all == 0 && m.taken < l.Places:
		m.taken++
		return nil
	case mine >= l.Each:
		return ErrShare
	case all >= l.Waiting:
		return ErrFull
	}
	i := slices.Index(m.users, user)
	if i < 0 {
		m.users, m.turns, i = append(m.users, user), append(m.turns, nil), len(m.users)
	}
	m.turns[i] = append(m.turns[i], id)
	return nil
}

// free gives a free place to the first user, who is then the last.
func (m *modelQueue) free() (id int, ok bool) {
	m.taken--
	if len(m.users) == 0 {
		return 0, false
	}
	user, list := m.users[0], m.turns[0]
	m.users, m.turns = m.users[1:], m.turns[1:]
	if len(list) > 1 {
		m.users, m.turns = append(m.users, user), append(m.turns, list[1:])
	}
	m.taken++
	return list[0], true
}

func (m *modelQueue) leave(id int) {
	for i := range m.turns {
		m.turns[i] = slices.DeleteFunc(slices.Clone(m.turns[i]), func(o int) bool { return o == id })
	}
	for i := len(m.turns) - 1; i >= 0; i-- {
		if len(m.turns[i]) == 0 {
			m.users, m.turns = slices.Delete(m.users, i, i+1), slices.Delete(m.turns, i, i+1)
		}
	}
}

// Random users come, leave and end: the queue does what the model does, the number ahead is
// what it says, and between two turns of a user who waits every other user who waits has one.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Limits{Places: rapid.IntRange(1, 3).Draw(t, "places"), Waiting: rapid.IntRange(0, 12).Draw(t, "waiting"), Each: rapid.IntRange(1, 5).Draw(t, "each")}
		q, m := New(l), &modelQueue{}
		var all []*Ticket
		var users []string
		at, waiting := map[int]bool{}, map[int]bool{} // with a place, and without
		turn := func(id int) {
			if !waiting[id] {
				t.Fatalf("ticket %d has its turn and did not wait", id)
			}
			delete(waiting, id)
			at[id] = true
			for o := range waiting {
				if users[o] == users[id] && o < id {
					t.Fatalf("ticket %d before ticket %d of the same user", id, o)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"enter": func(t *rapid.T) {
				user := fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "user"))
				one, err := q.Enter(user)
				want := m.enter(l, user, len(all))
				if err != want {
					t.Fatalf("%v, not %v", err, want)
				}
				if err == nil {
					id := len(all)
					all, users = append(all, one), append(users, user)
					if begun(one) {
						at[id] = true
					} else {
						waiting[id] = true
					}
				}
			},
			"end": func(t *rapid.T) {
				if len(at) == 0 {
					t.Skip("nothing has a place")
				}
				id := rapid.SampledFrom(keys(at)).Draw(t, "which")
				delete(at, id)
				all[id].Leave()
				if next, ok := m.free(); ok {
					turn(next)
				}
			},
			"give up": func(t *rapid.T) {
				if len(waiting) == 0 {
					t.Skip("nothing waits")
				}
				id := rapid.SampledFrom(keys(waiting)).Draw(t, "which")
				delete(waiting, id)
				m.leave(id)
				if rapid.Bool().Draw(t, "withdraw") {
					if !all[id].Withdraw() {
						t.Fatal("it waited")
					}
				} else {
					all[id].Leave()
				}
			},
			"": func(t *rapid.T) {
				if q.Waiting() != len(waiting) || q.taken != len(at) || q.taken > l.Places {
					t.Fatalf("%d wait and %d have a place, not %d and %d", q.Waiting(), q.taken, len(waiting), len(at))
				}
				if len(waiting) > 0 && len(at) < l.Places {
					t.Fatal("a place is free and somebody waits")
				}
				for id := range all {
					if at[id] && !begun(all[id]) || waiting[id] && begun(all[id]) {
						t.Fatalf("ticket %d has a place: %v", id, begun(all[id]))
					}
				}
				checkAhead(t, all, waiting, m)
			},
		})
	})
}

// checkAhead compares the numbers that tickets tell with what the model would do.
func checkAhead(t *rapid.T, all []*Ticket, waiting map[int]bool, m *modelQueue) {
	later := &modelQueue{taken: m.taken, users: slices.Clone(m.users)}
	for _, list := range m.turns {
		later.turns = append(later.turns, slices.Clone(list))
	}
	for n := range len(waiting) {
		id, ok := later.free()
		if !ok || !waiting[id] {
			t.Fatalf("the model does not know ticket %d", id)
		}
		got, waits := all[id].Ahead()
		if !waits || got != n {
			t.Fatalf("%d are ahead of ticket %d, not %d", n, id, got)
		}
		// The bound: every other user at most once for each turn of this user.
		own := 0
		for _, list := range m.turns {
			if slices.Contains(list, id) {
				own = slices.Index(list, id) + 1
			}
		}
		if most := own*len(m.users) - 1; n > most {
			t.Fatalf("%d are ahead of the turn %d of a user among %d", n, own, len(m.users))
		}
	}
}

func keys(m map[int]bool) (list []int) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// With many at the same time nothing is lost, and no more have places than there are.
func TestAtTheSameTime(t *testing.T) {
	const places = 3
	q := New(Limits{Places: places, Waiting: 1000, Each: 1000})
	var at, most, done atomic.Int32
	var all sync.WaitGroup
	for u := range 8 {
		for i := range 40 {
			all.Go(func() {
				one, err := q.Enter(fmt.Sprint(u))
				if !assert.NoError(t, err) {
					return
				}
				if i%7 == 0 && one.Withdraw() {
					done.Add(1)
					return
				}
				<-one.Turn()
				if n := at.Add(1); n > most.Load() {
					most.Store(n)
				}
				q.Free()
				one.Ahead()
				at.Add(-1)
				done.Add(1)
				one.Leave()
			})
		}
	}
	all.Wait()
	require.EqualValues(t, 320, done.Load())
	require.LessOrEqual(t, most.Load(), int32(places))
	require.Equal(t, places, q.Free())
	require.Empty(t, q.order)
	require.Empty(t, q.of)
}

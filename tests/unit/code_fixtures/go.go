// Package parcel weighs parcels.
package parcel

import (
	"os"
	log "example.org/log/v2"
)

// MaxWeight is in kilograms.
const MaxWeight = 30

var apiKey = "not-for-records"

// Parcel is one thing to send.
type Parcel struct {
	raw int // TODO: use grams
}

type Scale interface {
	Weigh(p Parcel) int
}

// Weight gives kilograms.
//
//go:noinline
func (p *Parcel) Weight(s Scale) int {
	log.Print(os.Getpid())
	return Map[string](s.Weigh(*p))
}

func Send(p Parcel) error {
	return queue.Push(p)
}

func secret() {}

func Żółć() {
	secret()
}

func TestWeight(t *testing.T) {
	t.Run("x", func(t *testing.T) { Send(Parcel{}) })
}

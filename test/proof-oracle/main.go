// Checks a signed checkpoint, an inclusion proof and a consistency proof with libraries that know nothing of Botledger.
// It reads one JSON object from the standard input, and exits with 1 at the first thing that is wrong.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Origin      string
	VerifierKey string
	Note        string
	Entry       []byte
	Index       int64
	Inclusion   [][]byte
	OldSize     int64
	OldRoot     []byte
	Consistency [][]byte
}

func main() {
	if err := check(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check() error {
	var q question
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil {
		return err
	}
	verifier, err := note.NewVerifier(q.VerifierKey)
	if err != nil {
		return err
	}
	checkpoint, rest, _, err := log.ParseCheckpoint([]byte(q.Note), q.Origin, verifier)
	if err != nil {
		return err
	}
	if len(rest) != 0 {
		return errors.New("the checkpoint has extension lines")
	}
	size, root := int64(checkpoint.Size), hash(checkpoint.Hash)
	if err := tlog.CheckRecord(hashes(q.Inclusion), size, root, q.Index, tlog.RecordHash(q.Entry)); err != nil {
		return fmt.Errorf("inclusion: %w", err)
	}
	if err := tlog.CheckTree(hashes(q.Consistency), size, root, q.OldSize, hash(q.OldRoot)); err != nil {
		return fmt.Errorf("consistency: %w", err)
	}
	return nil
}

func hash(bytes []byte) (h tlog.Hash) {
	copy(h[:], bytes)
	return h
}

func hashes(all [][]byte) []tlog.Hash {
	found := make([]tlog.Hash, len(all))
	for i, each := range all {
		found[i] = hash(each)
	}
	return found
}

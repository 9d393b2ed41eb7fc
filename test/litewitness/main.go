// Prepares an unmodified litewitness of filippo.io/torchwood. That program takes its key from an SSH agent, and its logs from a
// database that witnessctl fills; witnessctl needs a module that the module proxy does not give.
//
//	litewitness-setup agent SOCKET             serves a new key, and prints its fingerprint
//	litewitness-setup add-log DATABASE ORIGIN VERIFIER-KEY
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

func main() {
	run := serveAgent
	if os.Args[1] == "add-log" {
		run = addLog
	}
	if err := run(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveAgent(args []string) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		return err
	}
	listener, err := net.Listen("unix", args[0])
	if err != nil {
		return err
	}
	fmt.Println(ssh.FingerprintSHA256(key))
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go agent.ServeAgent(keyring, connection)
	}
}

func addLog(args []string) error {
	database, origin, key := args[0], args[1], args[2]
	connection, err := sqlite.OpenConn(database, 0)
	if err != nil {
		return err
	}
	defer connection.Close()
	empty := sha256.Sum256(nil)
	root := base64.StdEncoding.EncodeToString(empty[:])
	insertLog := "INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)"
	if err := sqlitex.Execute(connection, insertLog, &sqlitex.ExecOptions{Args: []any{origin, root}}); err != nil {
		return err
	}
	insertKey := "INSERT INTO key (origin, key) VALUES (?, ?)"
	return sqlitex.Execute(connection, insertKey, &sqlitex.ExecOptions{Args: []any{origin, key}})
}

package engine

import (
	"errors"
	"os"
	"runtime"
	"sync"

	"github.com/zalando/go-keyring"
)

// KeyStore keeps API keys by provider.
type KeyStore interface {
	Get(provider string) (string, error) // "" when there is none
	Set(provider, key string) error
	Delete(provider string) error
}

const keychainService = "atelier"

// systemKeys is the operating system's keychain. Where there is none (a server
// without a session bus), keys live in memory as long as the process.
func systemKeys() KeyStore { return &keychain{memory: map[string]string{}} }

type keychain struct {
	mu     sync.Mutex
	memory map[string]string // keys the keychain did not take
}

// keychainThere avoids waiting for a session bus that cannot answer.
func keychainThere() bool {
	return runtime.GOOS != "linux" || os.Getenv("DBUS_SESSION_BUS_ADDRESS") != ""
}

func (k *keychain) Get(provider string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key := k.memory[provider]; key != "" || !keychainThere() {
		return key, nil
	}
	key, err := keyring.Get(keychainService, provider)
	if err != nil {
		// Not found, locked or unreachable: in each case there is no key to use,
		// and the environment's is tried next.
		return "", nil
	}
	return key, nil
}

func (k *keychain) Set(provider, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if keychainThere() && keyring.Set(keychainService, provider, key) == nil {
		delete(k.memory, provider)
		return nil
	}
	k.memory[provider] = key
	return nil
}

func (k *keychain) Delete(provider string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.memory, provider)
	if !keychainThere() {
		return nil
	}
	if err := keyring.Delete(keychainService, provider); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return err
	}
	return nil
}

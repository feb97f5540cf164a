package engine

import (
	"errors"
	"os"
	"runtime"

	"github.com/zalando/go-keyring"
)

// KeyStore keeps API keys by provider.
type KeyStore interface {
	Get(provider string) (string, error) // "" when there is none
	Set(provider, key string) error
	Delete(provider string) error
}

const keychainService = "atelier"

// EnvKeychain, when it is "off", has keys kept in the encrypted file of the data folder also
// where the system has a keychain. A keychain is the person's: all data folders share it.
const EnvKeychain = "ATELIER_KEYCHAIN"

// systemKeys returns the operating system's keychain. Where there is none (a server
// without a session bus), keys live in an encrypted file of the data folder.
func systemKeys(dir string) KeyStore { return &keychain{file: newKeyFile(dir)} }

type keychain struct{ file *keyFile } // the file has the keys the keychain did not take

// keychainThere reports whether keys are in the system's keychain. It avoids waiting for a
// session bus that cannot answer.
func keychainThere() bool {
	return os.Getenv(EnvKeychain) != "off" && (runtime.GOOS != "linux" || os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "")
}

// Get implements KeyStore.
func (k *keychain) Get(provider string) (string, error) {
	if keychainThere() {
		// Not found, locked or unreachable: in each case it has no key to use.
		if key, err := keyring.Get(keychainService, provider); err == nil && key != "" {
			return key, nil
		}
	}
	return k.file.Get(provider)
}

// Set implements KeyStore. Only one of the two places has a key afterwards.
func (k *keychain) Set(provider, key string) error {
	if keychainThere() && keyring.Set(keychainService, provider, key) == nil {
		return k.file.Delete(provider)
	}
	return k.file.Set(provider, key)
}

// Delete implements KeyStore.
func (k *keychain) Delete(provider string) error {
	err := k.file.Delete(provider)
	if !keychainThere() {
		return err
	}
	if kerr := keyring.Delete(keychainService, provider); kerr != nil && !errors.Is(kerr, keyring.ErrNotFound) {
		err = errors.Join(err, kerr)
	}
	return err
}

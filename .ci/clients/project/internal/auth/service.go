// Package auth checks who is asking.
package auth

import "errors"

// AuthenticateUser verifies user credentials and returns the user's number.
func AuthenticateUser(name, password string) (int, error) {
	if name == "" || password == "" {
		return 0, errors.New("name and password required")
	}
	return len(name), nil
}

//go:build tools

// Package tools pins the krew command that a test installs the kubectl plugin with.
package tools

import _ "sigs.k8s.io/krew/cmd/krew"

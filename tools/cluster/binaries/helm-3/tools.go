//go:build tools

// Package tools pins the helm command that installs the chart into the local cluster.
package tools

import _ "helm.sh/helm/v3/cmd/helm"

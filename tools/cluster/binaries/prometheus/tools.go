//go:build tools

// Package tools pins Prometheus and promtool, with which tests scrape the programs and check the alerts.
package tools

import (
	_ "github.com/prometheus/prometheus/cmd/prometheus"
	_ "github.com/prometheus/prometheus/cmd/promtool"
)

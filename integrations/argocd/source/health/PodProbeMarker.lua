return firstOf(unobserved(), verdict("Healthy", count(0, "status", "matchedPods") .. " Pods are probed"))

return firstOf(
  unobserved(),
  fault(),
  waiting(),
  verdict("Healthy", "Pods that may become unavailable: " .. count(0, "status", "unavailableAllowed"))
)

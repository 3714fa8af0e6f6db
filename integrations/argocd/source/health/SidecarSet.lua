local matched = count(0, "status", "matchedPods")
local updated = count(0, "status", "updatedPods")
local ready = count(0, "status", "updatedReadyPods")
local strategy = member(obj, "spec", "updateStrategy") or {}
local expected = matched - partitioned(strategy.partition, matched)
if strategy.type == "NotUpdate" then expected = 0 end
local message = updated .. " of " .. matched .. " Pods have the latest version"
return firstOf(
  unobserved(),
  suspended("spec", "updateStrategy", "paused"),
  when(strategy.selector ~= nil and updated < expected, "Suspended", message .. ", as a selector names those to update"),
  when(updated < expected, "Progressing", message),
  when(ready < updated, "Progressing", ready .. " of " .. updated .. " updated Pods are ready"),
  when(updated < matched and strategy.type == "NotUpdate", "Healthy", message .. ", new Pods get it"),
  when(updated < matched, "Suspended", "The partition is reached: " .. message),
  verdict("Healthy", message)
)

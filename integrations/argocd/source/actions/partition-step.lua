local total = firstOf(
  member(obj, "spec", "replicas"),
  member(obj, "status", "desiredNumberScheduled"),
  member(obj, "status", "matchedPods"),
  1
)
local settings = tableAt(unpack(place))
settings.partition = lowered(settings.partition, total)
return obj

local pending = count(0, "status", "pulling") + count(0, "status", "waiting")
local failed = count(0, "status", "failed")
return firstOf(
  when(member(obj, "metadata", "deletionTimestamp") ~= nil, "Progressing", "The object is being deleted"),
  when(failed > 0, "Degraded", failed .. " images cannot be pulled"),
  when(pending > 0, "Progressing", pending .. " images are being pulled"),
  verdict("Healthy", count(0, "status", "succeeded") .. " images are pulled")
)

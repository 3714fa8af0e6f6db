local active = 0
for _ in ipairs(list("status", "active")) do
  active = active + 1
end
local last = text("status", "lastScheduleTime")
return firstOf(
  when(member(obj, "metadata", "deletionTimestamp") ~= nil, "Progressing", "The object is being deleted"),
  suspended("spec", "paused"),
  when(member(obj, "status") == nil, "Progressing", "The controller has not read the object yet"),
  when(active > 0, "Healthy", "Running jobs: " .. active),
  when(last == "", "Healthy", "No job has been scheduled yet"),
  verdict("Healthy", "The last job was scheduled at " .. last)
)

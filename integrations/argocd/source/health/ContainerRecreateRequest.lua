local phase = text("status", "phase")
local failed = nil
for _, one in ipairs(list("status", "containerRecreateStates")) do
  if one.phase == "Failed" and failed == nil then failed = "Container " .. (one.name or "") .. " failed: " .. (one.message or "") end
end
local isOver = phase == "Completed" or phase == "Failed" or phase == "Succeeded"
local pending = 0
for _, one in ipairs(list("status", "containerRecreateStates")) do
  if one.phase == "Pending" or one.phase == "Recreating" then pending = pending + 1 end
end
return firstOf(
  unstarted(),
  when(isOver and failed ~= nil, "Degraded", failed),
  when(phase == "Failed", "Degraded", "The request failed: " .. text("status", "message")),
  when(isOver and pending > 0, "Degraded", "The request ended before every container was recreated: " .. text("status", "message")),
  when(isOver and member(obj, "status", "containerRecreateStates") == nil, "Degraded", "No container was recreated: " .. text("status", "message")),
  when(isOver, "Healthy", "The containers are recreated"),
  verdict("Progressing", "The containers are being recreated")
)

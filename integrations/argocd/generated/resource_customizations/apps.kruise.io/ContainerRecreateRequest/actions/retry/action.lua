-- Generated from integrations/argocd/source/actions/retry.lua by `npm run generate`. Do not edit.

-- Returns a deep copy without empty tables, because Argo CD writes each of them as an empty list.
local function copied(value)
  if type(value) ~= "table" then return value end
  local copy = nil
  for name, one in pairs(value) do
    local inner = copied(one)
    if inner ~= nil then
      copy = copy or {}
      copy[name] = inner
    end
  end
  return copy
end

-- A job runs once, so a copy runs again. Labels and annotations are not copied: those of Argo CD would make the copy a part of the application.
local job = {
  apiVersion = obj.apiVersion,
  kind = obj.kind,
  metadata = { generateName = obj.metadata.name .. "-", namespace = obj.metadata.namespace },
  spec = copied(obj.spec) or {},
}
job.spec.paused = nil
local isPull = obj.kind == "ImagePullJob" or obj.kind == "ImageListPullJob"
if isPull and job.spec.completionPolicy == nil then job.spec.completionPolicy = { type = "Always" } end
return { { operation = "create", resource = job } }

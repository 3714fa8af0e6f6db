-- Generated from integrations/argocd/source/actions/restart.lua by `npm run generate`. Do not edit.

-- Returns the member at a path, nil when one of its parents is absent.
local function member(object, ...)
  local value = object
  for _, name in ipairs({ ... }) do
    if type(value) ~= "table" then return nil end
    value = value[name]
  end
  return value
end

-- As `kubectl kruise rollout restart`: a changed environment variable recreates the containers under every update strategy.
local time = os.date("!%Y-%m-%dT%XZ")
local pods = member(obj, "spec", "template")
for _, name in ipairs({ "statefulSetTemplate", "advancedStatefulSetTemplate", "cloneSetTemplate", "deploymentTemplate" }) do
  pods = member(obj, "spec", "template", name, "spec", "template") or pods
end
for _, container in ipairs(member(pods, "spec", "containers") or {}) do
  local env = container.env or {}
  local entry = nil
  for _, one in ipairs(env) do
    if one.name == "RESTARTED_AT" then entry = one end
  end
  if entry == nil then
    entry = { name = "RESTARTED_AT" }
    table.insert(env, entry)
  end
  entry.value = time
  container.env = env
end
return obj

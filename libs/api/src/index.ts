/** The 18 kinds: types, schema, CRDs, conversion; the names on the wire; the feature gates. */
export { convertObject, converters, inHub } from './convert.ts';
export * from './kinds/index.ts';
export { allFeatures, deletionProtectionDeclaration } from './features/index.ts';
export { crdName, customResourceDefinition, defaultConversionService } from './schema/crd.ts';
export { conforms } from './schema/conforms.ts';
export { admissionPaths, objectSchema, resourceTypeOf, servedPaths, storedVersion, webhookName } from './schema/kind.ts';
export type { KindDeclaration, PrinterColumn, UninstallRule, VersionDeclaration } from './schema/kind.ts';
export { servedWebhooks } from './schema/feature.ts';
export type { FeatureDeclaration, FeatureWebhook } from './schema/feature.ts';
export { managing, reading, right } from './schema/rights.ts';
export type { Right } from './schema/rights.ts';
export type { JsonSchema } from './schema/builder.ts';
export type { Lifecycle, LifecycleHook, PriorityStrategy, ScatterStrategy } from './schema/shared.ts';
export type { SandboxConfig } from './schema/image-pull.ts';
export { parseParallelism, pullBoundsFault, pullPolicyWarnings } from './validation/image-pull.ts';
export type { MetaCondition } from './schema/meta-condition.ts';
export type { ContainerProbe } from './schema/probe.ts';
export {
  annotations,
  conditionReasons,
  conditionTypes,
  configuration,
  controllerNames,
  defaultNamespaces,
  deleteProtection,
  envNames,
  eventReasons,
  eventSources,
  groups,
  labels,
  lifecycleStates,
  objectNames,
  orderedLaunch,
  ownerApiVersion,
  podConditionReasons,
  podConditions,
  podReadinessWriters,
  processEnv,
  userAgents,
  virtualKubelet,
} from './well-known.ts';
export { defaultGates, formatGates, gateTable, normaliseGates, parseGates } from './gates/feature-gates.ts';
export type { GateName, Gates } from './gates/feature-gates.ts';

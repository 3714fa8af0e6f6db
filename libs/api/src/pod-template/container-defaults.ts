/** Defaults of containers in Pod templates. @see spec/podreadiness.md 7.3 */
import { parseImageReference, type JsonObject } from '@kruise/objects';
import { mapItems, mapMember } from '../members/nested-members.ts';
import { fill, fillEmpty } from '../members/fill.ts';
import { roundResources } from './quantities.ts';

const probeNumbers: JsonObject = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const probeNames = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** Sets those of `values` that are absent, null or 0: for numbers where 0 means absent. */
const fillZero = (members: JsonObject, values: JsonObject): JsonObject => fill(members, values, (value) => (value ?? 0) === 0);

const defaultHttpGet = (handler: JsonObject): JsonObject =>
  mapMember(handler, 'httpGet', (get) => fillEmpty(get, { path: '/', scheme: 'HTTP' }));

const defaultProbe = (probe: JsonObject): JsonObject => defaultHttpGet(fillZero(probe, probeNumbers));

const defaultHandlers = (lifecycle: JsonObject): JsonObject =>
  mapMember(mapMember(lifecycle, 'postStart', defaultHttpGet), 'preStop', defaultHttpGet);

export const defaultFieldRef = (holder: JsonObject): JsonObject =>
  mapMember(holder, 'fieldRef', (field) => fillEmpty(field, { apiVersion: 'v1' }));

const defaultEnv = (env: JsonObject): JsonObject => mapMember(env, 'valueFrom', defaultFieldRef);
const defaultPort = (port: JsonObject): JsonObject => fillEmpty(port, { protocol: 'TCP' });

/** Defaults every container of a template, ephemeral ones too. */
export const defaultEphemeralContainer = (container: JsonObject): JsonObject => withCommonDefaults(container, probeNames);

function withCommonDefaults(container: JsonObject, probes: readonly string[]): JsonObject {
  const listed = mapItems(mapItems(container, 'ports', defaultPort), 'env', defaultEnv);
  const probed = probes.reduce((result, name) => mapMember(result, name, defaultProbe), listed);
  return mapMember(mapMember(probed, 'lifecycle', defaultHandlers), 'resources', roundResources);
}

const messages: JsonObject = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };

/** Defaults a container of the Pod: its image is always pulled, so that an in-place update to the same tag gets the registry's content. */
export const defaultContainer = (container: JsonObject): JsonObject =>
  defaultEphemeralContainer(fillEmpty(container, { imagePullPolicy: 'Always', ...messages }));

/** Defaults an init container, and every container that has the pull policy of the core API. */
export const defaultInitContainer = (container: JsonObject): JsonObject => defaultEphemeralContainer(withCorePullPolicy(container));

const withCorePullPolicy = (container: JsonObject): JsonObject =>
  fillEmpty(container, { imagePullPolicy: corePullPolicy(container['image']), ...messages });

/** Defaults a container of a SidecarSet: its startup probe stays unchanged, so that hashes of the original stay valid. */
export const defaultSidecarContainer = (container: JsonObject): JsonObject =>
  withCommonDefaults(
    withCorePullPolicy(container),
    probeNames.filter((name) => name !== 'startupProbe'),
  );

/** Returns `Always` for the tag `latest`, written or implied; `IfNotPresent` for any other, for a digest, and for a value that is no image. */
function corePullPolicy(image: unknown): string {
  const reference = typeof image === 'string' ? parseImageReference(image) : undefined;
  if (reference === undefined) return 'IfNotPresent';
  return (reference.tag ?? (reference.digest === undefined ? 'latest' : '')) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** Returns a container with host ports: on the host's network a port is reached only with its own number. */
export const withHostPorts = (container: JsonObject): JsonObject =>
  mapItems(container, 'ports', (port) =>
    typeof port['containerPort'] === 'number' ? fillZero(port, { hostPort: port['containerPort'] }) : port,
  );

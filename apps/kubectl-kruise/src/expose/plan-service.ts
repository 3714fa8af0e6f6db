/** The Service that `expose` makes for an object (spec/kubectl-kruise.md 6). */
import { applyMergePatch, isJsonObject, memberAt, numberAt, objectsAt, parseLossless, stringAt, type JsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { type Untyped } from '../objects/untyped.ts';
import { podSpecPath, workloadKindOf } from '../objects/workload-kind.ts';

/** What the flags say; '' for what is not given. */
export interface ServiceOptions {
  readonly name: string;
  readonly namespace: string;
  readonly port: string;
  readonly targetPort: string;
  readonly protocol: string;
  readonly type: string;
  readonly selector: string;
  readonly labels: string;
  readonly clusterIp: string;
  readonly externalIp: string;
  readonly loadBalancerIp: string;
  readonly sessionAffinity: string;
  readonly overrides: string;
}

interface Port {
  readonly port: number;
  readonly protocol: string;
}

const exposable = ['/Pod', '/Service', '/ReplicationController', 'apps/Deployment', 'apps/ReplicaSet', 'apps.kruise.io/CloneSet'];

/** `key=value,key=value`. */
function parseLabels(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [key = '', value, ...more] = pair.split('=');
      if (key === '' || value === undefined || more.length > 0) throw new UserError(`unexpected label spec: ${pair}`);
      return [key, value] as const;
    }),
  );
}

const asLabels = (value: unknown): Readonly<Record<string, string>> | undefined =>
  isJsonObject(value) && Object.keys(value).length > 0 ? (value as Readonly<Record<string, string>>) : undefined;

function selectorOf(object: Untyped): Readonly<Record<string, string>> {
  const kind = object.kind ?? '';
  if (kind === 'Pod') {
    const labels = asLabels(object.metadata.labels);
    if (labels === undefined) throw new UserError('the pod has no labels and cannot be exposed');
    return labels;
  }
  const direct = ['Service', 'ReplicationController'].includes(kind);
  const selector = memberAt(object, 'spec', 'selector');
  if (!direct && objectsAt(selector, 'matchExpressions').length > 0)
    throw new UserError(
      `couldn't convert expressions - "${JSON.stringify(memberAt(selector, 'matchExpressions'))}" to map-based selector format`,
    );
  const labels = asLabels(direct ? selector : memberAt(selector, 'matchLabels'));
  if (labels === undefined) throw new UserError(`invalid ${kind}: no selectors, therefore cannot be exposed`);
  return labels;
}

/** The ports of the containers, or of a Service. */
function portsOf(object: Untyped, group: string): readonly Port[] {
  if (object.kind === 'Service')
    return objectsAt(object, 'spec', 'ports').map((port) => ({
      port: numberAt(port, 'port') ?? 0,
      protocol: stringAt(port, 'protocol') ?? 'TCP',
    }));
  const path = podSpecPath(workloadKindOf({ group, kind: object.kind ?? '' }), object) ?? [];
  return objectsAt(object, ...path, 'containers')
    .flatMap((container) => objectsAt(container, 'ports'))
    .map((port) => ({ port: numberAt(port, 'containerPort') ?? 0, protocol: stringAt(port, 'protocol') ?? 'TCP' }));
}

function wantedPorts(object: Untyped, group: string, options: ServiceOptions): readonly Port[] {
  const own = portsOf(object, group);
  if (options.port === '') {
    if (own.length === 0) throw new UserError("couldn't find port via --port flag or introspection");
    return own.map(({ port, protocol }) => ({ port, protocol: options.protocol === '' ? protocol : options.protocol }));
  }
  return options.port.split(',').map((text) => {
    if (!/^\d+$/.test(text)) throw new UserError(`invalid port ${JSON.stringify(text)}`);
    const protocol = options.protocol === '' ? own.find(({ port }) => port === Number(text))?.protocol : options.protocol;
    return { port: Number(text), protocol: protocol ?? 'TCP' };
  });
}

const targetPortOf = (text: string, port: number): number | string => (text === '' ? port : /^\d+$/.test(text) ? Number(text) : text);

const given = (members: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '' && value !== undefined));

function overridden(service: JsonObject, overrides: string): JsonObject {
  if (overrides === '') return service;
  let patch: unknown;
  try {
    patch = parseLossless(overrides);
  } catch {
    throw new UserError(`invalid --overrides: not JSON`);
  }
  const result = applyMergePatch(service, patch);
  return result as JsonObject;
}

/** @throws UserError for what cannot be exposed */
export function serviceFor(object: Untyped, group: string, options: ServiceOptions): Untyped {
  const kind = object.kind ?? '';
  if (!exposable.includes(`${group}/${kind}`)) throw new UserError(`cannot expose a ${group === '' ? kind : `${kind}.${group}`}`);
  const selector = options.selector === '' ? selectorOf(object) : parseLabels(options.selector);
  const ports = wantedPorts(object, group, options);
  const labels = options.labels === '' ? object.metadata.labels : parseLabels(options.labels);
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: options.name === '' ? object.metadata.name.slice(0, 63) : options.name,
      namespace: options.namespace,
      ...(labels === undefined ? {} : { labels }),
    },
    spec: {
      ...given({ type: options.type, sessionAffinity: options.sessionAffinity, loadBalancerIP: options.loadBalancerIp }),
      ...(options.clusterIp === '' ? {} : { clusterIP: options.clusterIp }),
      ...(options.externalIp === '' ? {} : { externalIPs: [options.externalIp] }),
      ports: ports.map(({ port, protocol }, index) => ({
        ...(ports.length > 1 ? { name: `port-${index + 1}` } : {}),
        protocol,
        port,
        targetPort: targetPortOf(options.targetPort, port),
      })),
      selector,
    },
  };
  return overridden(service, options.overrides) as unknown as Untyped;
}

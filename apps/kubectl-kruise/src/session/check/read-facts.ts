/** Reads what the checks need: first where the installation is, then everything else at the same time, each read with its own deadline. */
import { allKinds, crdName, defaultNamespaces, objectNames } from '@kruise/api';
import { isFailure, serverVersion, type CallOptions, type Client, type ListOptions } from '@kruise/kube';
import {
  customResourceDefinitions,
  leases,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  pods,
  secrets,
  stringAt,
  validatingWebhookConfigurations,
  type ResourceType,
} from '@kruise/objects';
import { builtInDaemonSets, deployments } from '@kruise/workloads';
import { serverMessage } from '../../failure.ts';
import type { At, CountFact, FactName, Facts, FactValues, HeldFact, Read } from '../../check/facts.ts';
import { inNamespace, managerToRun, ownEntries, timeOf } from '../../check/installation.ts';
import { findType, type ServedType } from '../../objects/served-types.ts';
import { type Untyped } from '../../objects/untyped.ts';
import type { Session } from '../../session.ts';
import { bundleCertificates, certificatesOf } from './certificates.ts';
import { managerRights, ownRights } from './rights.ts';
import { readSamples } from './samples.ts';

const services: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };
const endpointSlices: ResourceType = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

/** How long one read may take, discovery excepted. */
const readMs = 2_000;

/** The name of the controller of Kruise Rollouts. */
const rolloutManager = 'kruise-rollout-controller-manager';

/** Objects of a kind that are examined one by one. */
const pageOfRollouts = 500;

/** The Deployments, webhooks and Namespaces that say where an installation is. */
type Base = Pick<Facts, 'managers' | 'agents' | 'mutating' | 'validating'>;

const unreadBecause = (error: unknown): Exclude<Read<never>, { readonly kind: 'Read' }>['why'] => {
  if (isFailure(error, 'Forbidden', 'Unauthorized')) return 'Forbidden';
  if (isFailure(error, 'Aborted')) return 'TimedOut';
  return isFailure(error, 'Unreachable') ? 'Unreachable' : 'Failed';
};

/** One run of reads on one cluster. */
export class FactReader {
  readonly #client: Client;
  readonly #session: Session;
  readonly #options: CallOptions;

  constructor(session: Session) {
    this.#session = session;
    this.#client = session.client();
    this.#options = { signal: session.signal, timeoutMs: readMs };
  }

  /** @param wanted the facts that checks read; others are not read and must not be used */
  async read(wanted: ReadonlySet<FactName>, namespace: string | undefined): Promise<{ readonly facts: Facts; readonly at: At }> {
    const base = await this.#base();
    const at = this.#place(base, namespace);
    const types = await this.#try(() => this.#session.types());
    const readers = this.#readers(base, at, types);
    const found = await Promise.all(
      [...wanted].map(async (name) => [name, name in base ? base[name as keyof Base] : await this.#try<unknown>(readers[name])] as const),
    );
    const facts = Object.fromEntries(found) as unknown as Facts;
    return { facts, at: { ...at, now: serverTimeOf(facts) ?? at.now } };
  }

  async #base(): Promise<Base> {
    const [managers, agents, mutating, validating] = await Promise.all([
      this.#try(() => this.#list(deployments, { fieldSelector: `metadata.name=${objectNames.managerDeployment}` })),
      this.#try(() => this.#list(builtInDaemonSets, { fieldSelector: `metadata.name=${objectNames.daemonSet}` })),
      this.#try(() => this.#list(mutatingWebhookConfigurations)),
      this.#try(() => this.#list(validatingWebhookConfigurations)),
    ]);
    return { managers, agents, mutating, validating };
  }

  #place({ managers, agents, mutating, validating }: Base, given: string | undefined): At {
    const allAgents = valueOr(agents, []);
    const [entry] = ownEntries({ mutating: valueOr(mutating, []), validating: valueOr(validating, []) });
    const manager = managerToRun(valueOr(managers, []));
    const namespace =
      given ?? stringAt(entry, 'clientConfig', 'service', 'namespace') ?? manager?.metadata.namespace ?? defaultNamespaces.manager;
    const agent = inNamespace(allAgents, namespace) ?? allAgents[0];
    return { namespace, agentNamespace: agent?.metadata.namespace ?? namespace, now: this.#session.clock.now() };
  }

  #readers(base: Base, at: At, types: Read<readonly ServedType[]>): { readonly [K in FactName]: () => Promise<FactValues[K]> } {
    const { namespace, agentNamespace } = at;
    const client = this.#client;
    const configurations = { mutating: valueOr(base.mutating, []), validating: valueOr(base.validating, []) };
    const manager = inNamespace(valueOr(base.managers, []), namespace);
    return {
      server: () => serverVersion(client, this.#options),
      namespace: () => this.#get(namespaces, '', namespace),
      agentNamespace: () => this.#get(namespaces, '', agentNamespace),
      managers: async () => valueOf(base.managers),
      managerPods: () => this.#list(pods, { namespace, labelSelector: 'control-plane=controller-manager' }),
      agents: async () => valueOf(base.agents),
      agentPods: () => this.#list(pods, { namespace: agentNamespace, labelSelector: 'control-plane in (daemon,daemon-windows)' }),
      nodes: () => this.#list(nodes, { part: 'Metadata' }),
      nodeLeases: () => this.#list(leases, { namespace: 'kube-node-lease' }),
      lease: () => this.#get(leases, namespace, objectNames.managerLease),
      mutating: async () => valueOf(base.mutating),
      validating: async () => valueOf(base.validating),
      service: () => this.#get(services, namespace, objectNames.webhookService),
      endpoints: () => this.#list(endpointSlices, { namespace, labelSelector: `kubernetes.io/service-name=${objectNames.webhookService}` }),
      certificates: async () => certificatesOf(await this.#get(secrets, namespace, objectNames.webhookSecret)),
      bundles: async () => bundleCertificates(ownEntries(configurations)),
      definitions: () => this.#definitions(),
      samples: () => readSamples(client, valueOf(types), this.#options),
      counts: () => this.#counts(valueOf(types)),
      managerRights: () => managerRights(client, manager, at, this.#options),
      ownRights: () => ownRights(client, at, this.#options),
      rollouts: () => this.#rollouts(valueOf(types)),
      rolloutManagers: () => this.#list(deployments, { fieldSelector: `metadata.name=${rolloutManager}` }),
      terminating: () => this.#terminating(valueOf(types)),
    };
  }

  async #try<T>(read: () => Promise<T>): Promise<Read<T>> {
    try {
      return { kind: 'Read', value: await read() };
    } catch (error) {
      if (this.#session.signal.aborted) throw error;
      if (error instanceof UnreadFact) return error.read;
      return { kind: 'Unread', why: unreadBecause(error), message: error instanceof Error ? serverMessage(error) : String(error) };
    }
  }

  async #list<T extends Untyped>(type: ResourceType, options: ListOptions = {}): Promise<readonly T[]> {
    const { items } = await this.#client.list(type, { ...this.#options, ...options });
    return items as unknown as readonly T[];
  }

  async #get(type: ResourceType, namespace: string, name: string): Promise<Untyped | undefined> {
    try {
      return (await this.#client.get(type, { namespace, name }, this.#options)) as Untyped;
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #definitions(): Promise<ReadonlyMap<string, Untyped>> {
    const names = allKinds.map(crdName);
    const found = await Promise.all(names.map((name) => this.#get(customResourceDefinitions, '', name)));
    return new Map(found.flatMap((definition) => (definition === undefined ? [] : [[definition.metadata.name, definition] as const])));
  }

  async #counts(types: readonly ServedType[]): Promise<readonly CountFact[]> {
    const counts = allKinds.map(async ({ group, kind, plural }): Promise<readonly CountFact[]> => {
      const type = findType(types, `${plural}.${group}`);
      if (type === undefined) return [];
      const { items, metadata } = await this.#client.list(type, { ...this.#options, limit: 1, part: 'Metadata' });
      return [{ kind, plural, objects: items.length + (metadata.remainingItemCount ?? 0) }];
    });
    return (await Promise.all(counts)).flat();
  }

  async #rollouts(types: readonly ServedType[]): Promise<readonly Untyped[]> {
    const type = findType(types, 'rollouts.rollouts.kruise.io');
    return type === undefined ? [] : this.#list(type, { limit: pageOfRollouts });
  }

  async #terminating(types: readonly ServedType[]): Promise<readonly HeldFact[]> {
    const found = allKinds.map(async ({ group, plural, finalizer }) => {
      const type = finalizer === undefined ? undefined : findType(types, `${plural}.${group}`);
      if (type === undefined) return [];
      const items = await this.#list(type, { part: 'Metadata' });
      return items.flatMap(({ metadata: { deletionTimestamp, finalizers = [], namespace = '', name } }) =>
        deletionTimestamp !== undefined && finalizers.some((one) => one === finalizer)
          ? [{ type, namespace, name, otherFinalizers: finalizers.filter((one) => one !== finalizer) }]
          : [],
      );
    });
    return (await Promise.all(found)).flat();
  }
}

/** Passes on that a fact could not be read to those that are derived from it. */
class UnreadFact extends Error {
  override readonly name = 'UnreadFact';
  readonly read: Exclude<Read<never>, { readonly kind: 'Read' }>;

  constructor(read: Exclude<Read<never>, { readonly kind: 'Read' }>) {
    super(read.message);
    this.read = read;
  }
}

function valueOf<T>(read: Read<T>): T {
  if (read.kind === 'Unread') throw new UnreadFact(read);
  return read.value;
}

const valueOr = <T>(read: Read<T>, otherwise: T): T => (read.kind === 'Read' ? read.value : otherwise);

/** The time of the API server, which it writes into an object that it accepts. */
function serverTimeOf({ samples }: Partial<Facts>): number | undefined {
  if (samples?.kind !== 'Read') return undefined;
  for (const answer of samples.value.values()) {
    const time = answer.kind === 'Accepted' ? timeOf(stringAt(answer.object, 'metadata', 'creationTimestamp')) : undefined;
    if (time !== undefined) return time;
  }
  return undefined;
}

/** What the programs of Kruise are allowed at the API server, and what they requested, as its audit log shows. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { given, kubectl } from './programs.ts';

/** A verb of a resource, e.g. `patch pods/status` or `get leases.coordination.k8s.io`. */
export type Right = string;

/** By the name of the service account. */
export type RightsByAccount = ReadonlyMap<string, ReadonlySet<Right>>;

const namespaces: readonly string[] = ['kruise-system', 'kruise-daemon'];
/** The user name of a service account. */
const user = /^system:serviceaccount:(?<namespace>[^:]+):(?<name>[^:]+)$/;

/** @returns undefined for a user that is no program of Kruise */
function accountOf(username: string): string | undefined {
  const { namespace = '', name } = user.exec(username)?.groups ?? {};
  return namespaces.includes(namespace) ? name : undefined;
}

const rightOf = (verb: string, group: string, resource: string): Right => `${verb} ${group === '' ? resource : `${resource}.${group}`}`;

export interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  /** Of deletions of Pods and claims alone. */
  readonly requestObject?: object;
  readonly responseStatus?: { readonly code?: number };
  readonly requestURI: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const eventsOf = (text: string): readonly AuditEvent[] =>
  text
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter((event) => accountOf(event.user.username) !== undefined);

/** Requests of the programs, in order. */
export const auditEvents = (): readonly AuditEvent[] => eventsOf(readFileSync(given('KRUISE_E2E_AUDIT'), 'utf8'));

/** Requests of the programs from now on: each call gives those that have been made since the last one. */
export function newAuditEvents(): () => readonly AuditEvent[] {
  const path = given('KRUISE_E2E_AUDIT');
  let position = statSync(path).size;
  let begun = '';
  return () => {
    const added = Buffer.alloc(statSync(path).size - position);
    const file = openSync(path, 'r');
    const count = readSync(file, added, 0, added.length, position);
    closeSync(file);
    position += count;
    const text = begun + added.toString('utf8', 0, count);
    const end = text.lastIndexOf('\n') + 1;
    begun = text.slice(end);
    return eventsOf(text.slice(0, end));
  };
}

function add(map: Map<string, Set<Right>>, account: string, right: Right): void {
  const rights = map.get(account) ?? new Set();
  map.set(account, rights.add(right));
}

/** What each account requested, refused or not. */
export function askedFor(events: readonly AuditEvent[]): RightsByAccount {
  const asked = new Map<string, Set<Right>>();
  for (const { verb, user: asking, objectRef } of events) {
    const account = accountOf(asking.username);
    if (objectRef?.resource === undefined || account === undefined) continue;
    const resource = objectRef.subresource === undefined ? objectRef.resource : `${objectRef.resource}/${objectRef.subresource}`;
    add(asked, account, rightOf(verb, objectRef.apiGroup ?? '', resource));
  }
  return asked;
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
}
interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
interface Role extends Named {
  readonly rules?: readonly Rule[] | null;
}
interface Binding extends Named {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

const rightsOf = ({ verbs, apiGroups = [], resources = [] }: Rule): readonly Right[] =>
  verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => rightOf(verb, group, resource))));

/** What the roles allow each account that is bound to them. */
export async function granted(): Promise<RightsByAccount> {
  const list = async <T>(resource: string): Promise<readonly T[]> =>
    (JSON.parse(await kubectl('get', resource, '--all-namespaces', '-o', 'json')) as { readonly items: readonly T[] }).items;
  const roles = await list<Role>('clusterroles,roles');
  const bindings = await list<Binding>('clusterrolebindings,rolebindings');
  const rights = new Map<string, Set<Right>>();
  for (const { metadata, roleRef, subjects = [] } of bindings) {
    const accounts = subjects.filter((subject) => subject.kind === 'ServiceAccount' && namespaces.includes(subject.namespace ?? ''));
    const role = roles.find(
      ({ kind, metadata: own }) =>
        kind === roleRef.kind && own.name === roleRef.name && (kind === 'ClusterRole' || own.namespace === metadata.namespace),
    );
    for (const right of (role?.rules ?? []).flatMap(rightsOf)) for (const account of accounts) add(rights, account.name, right);
  }
  return rights;
}

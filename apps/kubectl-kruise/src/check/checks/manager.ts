/** Checks of the manager: its Deployment, Pods, lease, gates and rights. */
import { objectNames } from '@kruise/api';
import {
  containerStartFailures,
  counted,
  findCondition,
  imagePullFailures,
  memberAt,
  numberAt,
  objectsAt,
  stringAt,
} from '@kruise/objects';
import { type Untyped } from '../../objects/untyped.ts';
import { advice, check, fault, named, skipped, sound, type Check, type Verdict } from '../check.ts';
import {
  areOutside,
  flagOf,
  gatesOf,
  imageOf,
  inNamespace,
  isReadyEndpoint,
  isScaledUp,
  managerGates,
  nameOf,
  ownEntries,
  tagOf,
  timeOf,
} from '../installation.ts';
import { kindGates } from '../kind-gates.ts';

const describeNext = (what: string, at: { readonly namespace: string }): string => `kubectl describe ${what} -n ${at.namespace}`;
const name = objectNames.managerDeployment;

const managerRuns = check('manager', 'The manager runs.', ['managers', 'mutating', 'validating'], ({ managers, ...configurations }, at) => {
  const manager = inNamespace(managers, at.namespace);
  if (manager === undefined)
    return areOutside(ownEntries(configurations))
      ? skipped('The webhooks are called by URL: the manager runs outside of the cluster.')
      : fault(`Deployment ${at.namespace}/${name} does not exist.`, 'Install the chart, or name the namespace with -n.');
  if (!isScaledUp(manager))
    return fault(`Deployment ${nameOf(manager)} has 0 replicas.`, `kubectl scale deployment ${name} -n ${at.namespace} --replicas=2`);
  const [replicas, available] = [numberAt(manager, 'spec', 'replicas') ?? 1, numberAt(manager, 'status', 'availableReplicas') ?? 0];
  if (available === 0)
    return fault(`No Pod of Deployment ${nameOf(manager)} is available.`, describeNext(`pods -l control-plane=controller-manager`, at));
  const progressing = findCondition(objectsAt(manager, 'status', 'conditions'), 'Progressing');
  if (progressing?.['reason'] === 'ProgressDeadlineExceeded')
    return fault(`The rollout of Deployment ${nameOf(manager)} makes no progress.`, describeNext(`deployment ${name}`, at));
  return available < replicas
    ? advice(`${available} of ${replicas} Pods are available.`, describeNext(`deployment ${name}`, at))
    : sound(`${available} of ${replicas} Pods`);
});

const broken: ReadonlySet<string> = new Set(['CrashLoopBackOff', ...containerStartFailures]);

const statusesOf = (pod: Untyped): readonly object[] =>
  ['initContainerStatuses', 'containerStatuses'].flatMap((member) => objectsAt(pod, 'status', member));

const waitingIn = (
  pods: readonly Untyped[],
  reasons: ReadonlySet<string>,
): readonly { readonly pod: Untyped; readonly reason: string; readonly image: string }[] =>
  pods.flatMap((pod) =>
    statusesOf(pod).flatMap((status) => {
      const reason = stringAt(status, 'state', 'waiting', 'reason') ?? '';
      return reasons.has(reason) ? [{ pod, reason, image: stringAt(status, 'image') ?? '' }] : [];
    }),
  );

const imagesPulled = check('image-pull', 'The nodes can pull the images.', ['managerPods', 'agentPods'], ({ managerPods, agentPods }) => {
  const failed = waitingIn([...managerPods, ...agentPods], imagePullFailures);
  return failed.length === 0
    ? sound(counted(managerPods.length + agentPods.length, 'Pod'))
    : fault(
        `Images are not pulled: ${named([...new Set(failed.map(({ image, reason }) => `${image} (${reason})`))])}, by ${named(failed.map(({ pod }) => nameOf(pod)))}.`,
        'Check the repository and tag (manager.image), imagePullSecrets, and the registry.',
      );
});

const recentMs = 15 * 60 * 1000;

const containersRun = check(
  'restarts',
  'The containers of manager and agent do not fail.',
  ['managerPods', 'agentPods'],
  ({ managerPods, agentPods }, at) => {
    const pods = [...managerPods, ...agentPods];
    const killed = pods.filter((pod) =>
      statusesOf(pod).some(
        (status) =>
          stringAt(status, 'lastState', 'terminated', 'reason') === 'OOMKilled' &&
          at.now - (timeOf(stringAt(status, 'lastState', 'terminated', 'finishedAt')) ?? 0) < recentMs,
      ),
    );
    if (killed.length > 0)
      return fault(
        `${named(killed.map(nameOf))} exceeded the memory limit in the last 15 minutes.`,
        'Raise manager.resources or daemon.resources.',
      );
    const failing = waitingIn(pods, broken);
    return failing.length === 0
      ? sound(counted(pods.length, 'Pod'))
      : fault(
          `Containers do not run: ${named(failing.map(({ pod, reason }) => `${nameOf(pod)} (${reason})`))}.`,
          `kubectl logs -n ${at.namespace} --previous POD`,
        );
  },
);

const managerScheduled = check('scheduling', 'The Pods of the manager have nodes.', ['managerPods'], ({ managerPods }) => {
  const pending = managerPods.flatMap((pod) => {
    const scheduled = objectsAt(pod, 'status', 'conditions').find((condition) => condition['type'] === 'PodScheduled');
    return scheduled?.['status'] === 'False' ? [{ pod, message: stringAt(scheduled, 'message') ?? '' }] : [];
  });
  const [first] = pending;
  return first === undefined
    ? sound(counted(managerPods.length, 'Pod'))
    : fault(
        `${named(pending.map(({ pod }) => nameOf(pod)))} cannot be scheduled: ${first.message}`,
        'Set manager.resources, manager.nodeSelector and manager.tolerations to values that a node satisfies.',
      );
});

/** A leader renews at least every 10 s, and another one takes over after 15 s. */
const staleMs = 60_000;

/** When the lease was last written, on the clock of the API server if it recorded that. */
function renewedAt(lease: Untyped): number {
  const noted = objectsAt(lease, 'metadata', 'managedFields').flatMap((entry) => timeOf(stringAt(entry, 'time')) ?? []);
  return noted.length > 0 ? Math.max(...noted) : (timeOf(stringAt(lease, 'spec', 'renewTime')) ?? 0);
}

/** The verdict where no lease is expected; undefined where one is. */
function withoutLease(manager: Untyped | undefined, isOutside: boolean): Verdict | undefined {
  if (manager === undefined) return isOutside ? undefined : skipped('There is no manager.');
  if (flagOf(manager, 'enable-leader-election') === 'false')
    return (numberAt(manager, 'spec', 'replicas') ?? 1) > 1
      ? fault('Several managers run without leader election, and all of them write.', 'Remove --enable-leader-election=false.')
      : skipped('Leader election is off.');
  return isScaledUp(manager) ? undefined : skipped('The manager has 0 replicas.');
}

const leaseHeld = check(
  'lease',
  'A running Pod of the manager is the leader.',
  ['lease', 'managers', 'managerPods', 'mutating', 'validating'],
  ({ lease, managers, managerPods, ...configurations }, at) => {
    const unexpected = withoutLease(inNamespace(managers, at.namespace), areOutside(ownEntries(configurations)));
    if (unexpected !== undefined) return unexpected;
    const holder = stringAt(lease, 'spec', 'holderIdentity') ?? '';
    if (lease === undefined || holder === '')
      return fault(
        `No manager holds the lease ${at.namespace}/${objectNames.managerLease}: no controller runs.`,
        'Read the log of the manager.',
      );
    const age = at.now - renewedAt(lease);
    if (age > staleMs)
      return fault(`${holder} last renewed the lease ${Math.round(age / 1000)} s ago: no controller runs.`, 'Read the log of the manager.');
    return managerPods.length === 0 || managerPods.some(({ metadata }) => holder.startsWith(metadata.name))
      ? sound(holder.split('_', 1)[0] ?? holder)
      : fault(
          `${holder} holds the lease but is not a Pod of the manager.`,
          'Stop the other manager: a process outside of the cluster, or another installation.',
        );
  },
);

const gatesParse = check('feature-gates', 'Manager and agent have the same gates.', ['managers', 'agents'], ({ managers, agents }, at) => {
  const manager = inNamespace(managers, at.namespace);
  if (manager === undefined) return skipped('There is no Deployment.');
  const gates = gatesOf(manager);
  if (typeof gates === 'string') return fault(`The manager does not start: ${gates}`, 'Correct featureGates.');
  const agent = inNamespace(agents, at.agentNamespace);
  if (agent === undefined) return sound('manager');
  const own = gatesOf(agent);
  if (typeof own === 'string') return fault(`The agent does not start: ${own}`, 'Correct featureGates.');
  const differ = Object.entries(gates).filter(([gate, on]) => own[gate as keyof typeof own] !== on);
  return differ.length === 0
    ? sound('equal')
    : fault(
        `Manager and agent differ in ${named(differ.map(([gate, on]) => `${gate} (manager ${on})`))}.`,
        'Upgrade the chart, which sets both.',
      );
});

const gatesInUse = check('gates-in-use', 'The gates of all kinds in use are on.', ['managers', 'counts'], ({ managers, counts }, at) => {
  const gates = managerGates(managers, at);
  const used = counts.filter(({ objects }) => objects > 0);
  const off = used.flatMap((count) => {
    const needed = Object.hasOwn(kindGates, count.plural) ? (kindGates[count.plural] ?? []) : [];
    return needed.length > 0 && needed.every((gate) => !gates[gate]) ? [{ ...count, needed }] : [];
  });
  return off.length === 0
    ? sound(counted(used.length, 'kind'))
    : fault(
        `The manager ignores existing objects: ${named(off.map(({ kind, objects, needed }) => `${objects} ${kind} (gate ${needed.join(' or ')} is off)`))}.`,
        'Turn the gate on in featureGates, or delete the objects.',
      );
});

const rightsHeld = check('manager-rights', 'The manager has its rights.', ['managerRights'], ({ managerRights }) => {
  if (managerRights.length === 0) return skipped('There is no ServiceAccount of the manager.');
  const missing = managerRights.filter(({ allowed }) => !allowed);
  return missing.length === 0
    ? sound(counted(managerRights.length, 'right'))
    : fault(
        `The manager may not ${named(missing.map(({ right }) => right))}.`,
        'Apply the ClusterRoles of the chart, and check that their bindings name the ServiceAccount of the manager.',
      );
});

const sameRelease = check('releases', 'Manager and agent have the same release.', ['managers', 'agents'], ({ managers, agents }, at) => {
  const [manager, agent] = [inNamespace(managers, at.namespace), inNamespace(agents, at.agentNamespace)];
  if (manager === undefined || agent === undefined) return skipped('There is no manager or no agent.');
  const [own, other] = [tagOf(imageOf(manager)), tagOf(imageOf(agent))];
  return own === other
    ? sound(own === '' ? 'by digest' : own)
    : advice(`The manager is ${own || 'of a digest'}, the agent ${other || 'of a digest'}.`, 'Upgrade the chart, which sets both images.');
});

const disruption = check(
  'disruption',
  'After a disruption, a replica still answers.',
  ['managers', 'managerPods'],
  ({ managers, managerPods }, at) => {
    const manager = inNamespace(managers, at.namespace);
    if (manager === undefined) return skipped('There is no Deployment.');
    const nodes = new Set(managerPods.filter(isReadyEndpoint).map((pod) => stringAt(pod, 'spec', 'nodeName') ?? ''));
    if ((numberAt(manager, 'spec', 'replicas') ?? 1) < 2)
      return advice(
        'The manager has one replica: while it restarts, webhooks that fail closed refuse writes.',
        'Set manager.replicas to 2.',
      );
    return nodes.size === 1
      ? advice('All Pods of the manager are on one node.', 'Distribute them over nodes: set manager.multiAZ or manager.affinity.')
      : sound(counted(nodes.size, 'node'));
  },
);

/** A manager whose lease is elsewhere competes with none of its replicas only if all of them have the same flag. */
const leaseNamespace = check('lease-namespace', 'The manager keeps its lease in its own namespace.', ['managers'], ({ managers }, at) => {
  const manager = inNamespace(managers, at.namespace);
  if (manager === undefined) return skipped('There is no Deployment.');
  const given = flagOf(manager, 'leader-election-namespace') ?? 'kruise-system';
  return given === at.namespace
    ? sound(given)
    : advice(
        `The lease is in namespace ${given}.`,
        `Set --leader-election-namespace=${at.namespace}, unless the other namespace is intended.`,
      );
});

/** Without the variable, the manager takes the default namespace for its own. */
const managerNamespaceKnown = check('manager-environment', 'The manager knows its namespace.', ['managers'], ({ managers }, at) => {
  const manager = inNamespace(managers, at.namespace);
  const [container] = objectsAt(manager, 'spec', 'template', 'spec', 'containers');
  if (container === undefined) return skipped('There is no Deployment.');
  const own = objectsAt(container, 'env').find((variable) => variable['name'] === 'POD_NAMESPACE');
  const value =
    stringAt(own, 'value') ??
    (memberAt(own, 'valueFrom', 'fieldRef', 'fieldPath') === 'metadata.namespace' ? at.namespace : 'kruise-system');
  return value === at.namespace
    ? sound(value)
    : fault(`The manager uses ${value} as its namespace, but runs in ${at.namespace}.`, 'Set POD_NAMESPACE from metadata.namespace.');
});

export const managerChecks: readonly Check[] = [
  managerRuns,
  managerScheduled,
  imagesPulled,
  containersRun,
  managerNamespaceKnown,
  leaseNamespace,
  leaseHeld,
  gatesParse,
  gatesInUse,
  rightsHeld,
  sameRelease,
  disruption,
];

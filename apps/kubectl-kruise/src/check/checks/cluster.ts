/** Checks of what is around the installation: server, clocks, namespace, other controllers. */
import { objectNames } from '@kruise/api';
import { counted, memberAt, numberAt, objectsAt, stringAt } from '@kruise/objects';
import { type Untyped } from '../../objects/untyped.ts';
import { advice, check, fault, named, skipped, sound, type Check } from '../check.ts';
import { flagOf, inNamespace, isScaledUp, managerGates, nameOf, pathOf, timeOf } from '../installation.ts';

/** The oldest and the newest release of Kubernetes that the tests run on. */
const testedMinors = { oldest: 30, newest: 37 } as const;
const oldestMinor = 18;

const serverVersion = check(
  'server-version',
  'The release of Kubernetes is supported.',
  ['server'],
  ({ server: { major, minor, gitVersion } }) => {
    if (major < 1 || (major === 1 && minor < oldestMinor))
      return fault(`Kubernetes ${gitVersion} is older than 1.${oldestMinor}.`, 'Upgrade Kubernetes.');
    if (major > 1 || minor > testedMinors.newest || minor < testedMinors.oldest)
      return advice(
        `Kubernetes ${gitVersion} is not one of the tested releases, 1.${testedMinors.oldest} to 1.${testedMinors.newest}.`,
        'Read docs/kubernetes-versions.md.',
      );
    return sound(`Kubernetes ${gitVersion}`);
  },
);

const namespaceExists = check('namespace', 'The namespace of the installation exists.', ['namespace'], ({ namespace }, at) => {
  if (namespace === undefined)
    return fault(`Namespace ${at.namespace} does not exist.`, 'Install the chart, or name the namespace with -n.');
  if (namespace.metadata.deletionTimestamp !== undefined)
    return fault(`Namespace ${at.namespace} is being deleted.`, 'Wait until it is deleted, then install again.');
  return sound(at.namespace);
});

/** Times in managed fields have whole seconds, and a write takes a while. */
const clockToleranceMs = 10_000;

/**
 * How far the clock of the client that renews a lease is ahead of the API server's: the client writes `renewTime`, and the API server notes the time of
 * that write in the managed fields. Undefined when another client wrote last, or nothing is noted.
 */
function clockAheadMs(lease: Untyped): number | undefined {
  const renewed = timeOf(stringAt(lease, 'spec', 'renewTime'));
  const noted = objectsAt(lease, 'metadata', 'managedFields')
    .filter((entry) => memberAt(entry, 'fieldsV1', 'f:spec', 'f:renewTime') !== undefined)
    .flatMap((entry) => timeOf(stringAt(entry, 'time')) ?? []);
  return renewed === undefined || noted.length === 0 ? undefined : renewed - Math.max(...noted);
}

const secondsText = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s ${ms > 0 ? 'ahead of' : 'behind'} the API server`;

const managerClock = check('manager-clock', 'The clock of the leader agrees with that of the API server.', ['lease'], ({ lease }) => {
  const ahead = lease === undefined ? undefined : clockAheadMs(lease);
  if (ahead === undefined) return skipped('No lease shows when the leader renewed it.');
  return Math.abs(ahead) <= clockToleranceMs
    ? sound(`within ${clockToleranceMs / 1000} s`)
    : fault(`The clock of the leader is ${secondsText(ahead)}.`, 'Synchronize the clocks of the nodes (chrony, NTP).');
});

const nodeClocks = check('node-clocks', 'The clocks of the nodes agree with that of the API server.', ['nodeLeases'], ({ nodeLeases }) => {
  const known = nodeLeases.flatMap((lease) => {
    const ahead = clockAheadMs(lease);
    return ahead === undefined ? [] : [{ name: lease.metadata.name, ahead }];
  });
  const wrong = known.filter(({ ahead }) => Math.abs(ahead) > clockToleranceMs);
  if (wrong.length > 0)
    return fault(
      `Clocks differ: ${named(wrong.map(({ name, ahead }) => `node ${name} is ${secondsText(ahead)}`))}.`,
      'Synchronize the clocks of the nodes (chrony, NTP).',
    );
  return known.length === 0 ? skipped('No node renews a lease.') : sound(counted(known.length, 'node'));
});

const enforceLabel = 'pod-security.kubernetes.io/enforce';
const levelOf = (namespace: Untyped | undefined): string => namespace?.metadata.labels?.[enforceLabel] ?? '';

const podSecurity = check(
  'pod-security',
  'Pod Security admits the Pods of manager and agent.',
  ['namespace', 'agentNamespace', 'managers', 'agents'],
  ({ namespace, agentNamespace, managers, agents }, at) => {
    const hasAgent = agents.length > 0 || managerGates(managers, at).KruiseDaemon;
    const level = levelOf(agentNamespace);
    if (hasAgent && level !== '' && level !== 'privileged')
      return fault(
        `Namespace ${at.agentNamespace} enforces ${level}, and the agent needs hostPath volumes and the host network.`,
        `kubectl label namespace ${at.agentNamespace} ${enforceLabel}=privileged --overwrite`,
      );
    const manager = inNamespace(managers, at.namespace);
    const own = levelOf(namespace);
    if (memberAt(manager, 'spec', 'template', 'spec', 'hostNetwork') === true && own !== '' && own !== 'privileged')
      return fault(
        `Namespace ${at.namespace} enforces ${own}, and the manager uses the host network.`,
        `Set manager.hostNetwork to false, or label the namespace ${enforceLabel}=privileged.`,
      );
    return sound(level === '' ? 'not enforced' : level);
  },
);

const ownNames: readonly string[] = [objectNames.mutatingWebhooks, objectNames.validatingWebhooks];

/** Whether a webhook of another configuration calls a path of Kruise. */
const isOfKruise = (entry: object): boolean => /^\/(mutate|validate)-(apps|policy)-kruise-io-/.test(pathOf(entry));

const oneInstallation = check(
  'one-installation',
  'The cluster has one installation of Kruise.',
  ['managers', 'mutating', 'validating'],
  ({ managers, mutating, validating }) => {
    const running = managers.filter((manager) => isScaledUp(manager) && (flagOf(manager, 'namespace') ?? '') === '');
    if (running.length > 1)
      return fault(`Several managers run: ${named(running.map(nameOf))}.`, 'Uninstall all but one of them; both write the same objects.');
    const others = [...mutating, ...validating]
      .filter(({ metadata: { name } }) => !ownNames.includes(name))
      .filter((configuration) => objectsAt(configuration, 'webhooks').some(isOfKruise));
    if (others.length > 0)
      return fault(
        `Other webhook configurations call paths of Kruise: ${named(others.map(nameOf))}.`,
        'Delete the configurations that another installation left.',
      );
    return sound(managers.map(nameOf).join(', '));
  },
);

const isAvailable = (deployment: Untyped): boolean => (numberAt(deployment, 'status', 'availableReplicas') ?? 0) > 0;

/** The condition of a Rollout that Kruise Rollouts works on; a paused workload waits for it. */
const isUnderWay = (rollout: Untyped): boolean =>
  ['Progressing', 'Initial', 'Terminating', 'Disabling'].includes(stringAt(rollout, 'status', 'phase') ?? '');

const foreignRollouts = check(
  'rollouts',
  'Rollout objects have a controller.',
  ['rollouts', 'rolloutManagers'],
  ({ rollouts, rolloutManagers }) => {
    if (rollouts.length === 0) return skipped('There are no Rollouts.');
    if (rolloutManagers.some(isAvailable)) return sound(counted(rollouts.length, 'Rollout'));
    const paused = rollouts.filter(isUnderWay);
    return fault(
      `No controller of Kruise Rollouts is available, and ${counted(rollouts.length, 'Rollout exists', 'Rollouts exist')}${paused.length === 0 ? '' : `; their workloads stay paused: ${named(paused.map(nameOf))}`}.`,
      'Start kruise-rollout-controller-manager, or delete the Rollouts.',
    );
  },
);

export const clusterChecks: readonly Check[] = [
  serverVersion,
  namespaceExists,
  podSecurity,
  oneInstallation,
  managerClock,
  nodeClocks,
  foreignRollouts,
];

/** All commands, in the order of the help. */
import type { Command } from '../cli/command.ts';
import {
  allNamespacesFlag,
  bool,
  dryRunFlags,
  duration,
  fieldManagerFlag,
  fileFlags,
  int,
  list,
  printFlags,
  saveConfigFlag,
  selectorFlag,
  text,
} from '../cli/flags.ts';
import { create } from './create/table.ts';
import { lint, plan } from './files/table.ts';
import { diff, logs, top, tree, why } from './inspect/table.ts';
import { rollout } from './rollout/table.ts';
import { set } from './set/table.ts';

const basic = 'Basic Commands:';
const advanced = 'Advanced Commands:';
const other = 'Other Commands:';

/** A command of kubectl, with all of its flags. */
const kubectl = (name: string, group: string, short: string, more: Partial<Command> = {}): Command => ({
  name,
  group,
  short,
  usage: 'ARGUMENTS of kubectl',
  passThrough: true,
  load: async () => (await import('./change-commands.ts')).kubectlRun([name]),
  ...more,
});

const expose: Command = {
  name: 'expose',
  group: basic,
  usage: '(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--type=type]',
  short: 'Create a Service for a workload or Pod',
  long: 'Create a Service for a pod, service, replicationcontroller, deployment, replicaset or cloneset.\n\nThe Service uses the selector of the workload, and the ports of its containers unless --port is given.',
  examples: ['kubectl-kruise expose cloneset nginx --port=80 --target-port=8000', 'kubectl-kruise expose clone/nginx'],
  flags: [
    text('port', 'Ports of the Service, separated by commas. Default: the ports of the containers.'),
    text('target-port', 'Port of the containers, by number or name. Default: the port of the Service.'),
    text('protocol', 'Protocol of the ports. Default: the protocol of the containers.'),
    text('name', 'Name of the Service. Default: the name of the object, cut to 63 characters.'),
    text('type', 'ClusterIP, NodePort, LoadBalancer or ExternalName.'),
    text('selector', 'Labels of the Pods. Default: the labels of the workload.'),
    text('labels', 'Labels of the Service. Default: the labels of the object.', { short: 'l' }),
    text('cluster-ip', 'Address of the Service; None for a headless one.'),
    text('external-ip', 'Another address of the Service.'),
    text('load-balancer-ip', 'Address of the load balancer.'),
    text('session-affinity', 'None or ClientIP.'),
    text('overrides', 'JSON that is merged into the Service.'),
    text('generator', 'Accepted for compatibility: service/v1 or service/v2.', { default: 'service/v2' }),
    text('container-port', 'Port of the containers.', { deprecated: 'use --target-port instead' }),
    fieldManagerFlag('kubectl-expose'),
    saveConfigFlag,
    ...fileFlags,
    ...dryRunFlags,
    ...printFlags,
  ],
  load: async () => (await import('./change-commands.ts')).expose,
};

const exec: Command = {
  name: 'exec',
  group: 'Troubleshooting and Debugging Commands:',
  usage: '(POD | TYPE/NAME) [-c CONTAINER] [-S SIDECAR] -- COMMAND [args...]',
  short: 'Run a command in a container',
  long: 'Run a command in a container.\n\nWith -S, it runs in the working container of a hot-upgraded sidecar.',
  examples: [
    'kubectl-kruise exec mypod -- date',
    'kubectl-kruise exec mypod -S sidecar -it -- sh',
    'kubectl-kruise exec clone/web -- date',
  ],
  flags: [
    text('container', 'Name of the container; the first one by default.', { short: 'c' }),
    text('sidecar', 'Name of a sidecar of a SidecarSet.', { short: 'S' }),
    bool('stdin', 'Pass stdin to the container.', { short: 'i' }),
    bool('tty', 'Stdin is a terminal.', { short: 't' }),
    bool('quiet', 'Print only the output of the command.', { short: 'q' }),
    duration('pod-running-timeout', '1m0s', 'Time to wait for an active Pod.'),
    ...fileFlags,
  ],
  load: async () => (await import('./change-commands.ts')).exec,
};

const migrate: Command = {
  name: 'migrate',
  group: 'CloneSet and Advanced StatefulSet Commands:',
  usage: 'CloneSet --from Deployment --src-name NAME --dst-name NAME -n NAMESPACE',
  short: 'Move replicas from a Deployment to a CloneSet',
  long: 'Move replicas from a Deployment to a CloneSet.\n\nFirst create the CloneSet with --create, then move replicas. You can interrupt the command at any time, and run it again with the remaining replicas.',
  examples: [
    'kubectl-kruise migrate CloneSet --from Deployment -n default --src-name web --dst-name web --create',
    'kubectl-kruise migrate CloneSet --from Deployment -n default --src-name web --dst-name web --replicas 10 --max-surge=2',
  ],
  flags: [
    text('from', 'Kind to move from.'),
    text('src-name', 'Name of the Deployment.'),
    text('dst-name', 'Name of the CloneSet. Default with --create: the name of the Deployment.'),
    bool('create', 'Create the CloneSet from the Deployment.'),
    bool('copy', 'With --create, set the replicas of the CloneSet to those of the Deployment instead of 0.'),
    int('replicas', '-1', 'Number of replicas to move, -1 for all.'),
    int('max-surge', '1', 'Pods that may exist beyond the total during the move.'),
    int('timeout-seconds', '-1', 'Seconds that the move may take, -1 for no limit.'),
  ],
  load: async () => (await import('./change-commands.ts')).migrate,
};

const adopt: Command = {
  name: 'adopt',
  group: 'CloneSet and Advanced StatefulSet Commands:',
  usage: '(TYPE NAME | TYPE/NAME) [--to TYPE] [--name NAME] [--dry-run=none|client|server] [--yes] [-o text|json]',
  short: 'Give Pods another owner without a restart',
  long: 'Give the Pods of a workload another owner without a restart, from a Deployment to a CloneSet, from a StatefulSet to an Advanced StatefulSet, from a DaemonSet to an Advanced DaemonSet, and back.\n\nWithout --yes, the command only prints its steps. You can interrupt it at any time, and run it again to continue. The command deletes the workload and creates the other one with the same settings. Neither controller acts on a Pod in between, so a Pod that ends is replaced only after the move.',
  examples: [
    'kubectl-kruise adopt deployment/web --dry-run=server',
    'kubectl-kruise adopt deployment/web --yes',
    'kubectl-kruise adopt asts/db --to statefulsets.apps --yes',
  ],
  flags: [
    text('to', 'Kind of the new owner. Each kind has only one counterpart, which is the default.'),
    text('name', 'Name of the new owner. Default: the name of the current owner.'),
    bool('yes', 'Carry out the move.'),
    duration('timeout', '5m0s', 'Time that the move may take, 0s for no limit.'),
    ...dryRunFlags,
    text('output', 'text or json for what the move does.', { default: 'text', short: 'o' }),
  ],
  load: async () => (await import('./adopt.ts')).run,
};

const check: Command = {
  name: 'check',
  group: 'Troubleshooting and Debugging Commands:',
  usage: '[--pre | --uninstall] [--wait]',
  short: 'Check an installation of Kruise',
  long: 'Check an installation of Kruise, and print each fault with the next step.\n\nThe exit code is 0 if nothing is wrong, 1 if there is a fault, 2 if something could not be read, and 3 if --wait ended before the installation worked.',
  examples: ['kubectl-kruise check', 'kubectl-kruise check --wait --timeout 2m', 'kubectl-kruise check --pre -n kruise-system'],
  flags: [
    bool('pre', 'Check what would prevent an installation.'),
    bool('uninstall', 'Check what an uninstall would delete, and what a former one left.'),
    bool('wait', 'Repeat the checks until they pass.'),
    duration('timeout', '5m0s', 'Maximum time of --wait.'),
    text('output', 'json for a report for programs.', { short: 'o' }),
  ],
  failureCode: 2,
  load: async () => (await import('./check.ts')).run,
};

const scaledown: Command = {
  name: 'scaledown',
  group: 'Scaledown Commands:',
  usage: '(CLONESET | TYPE/NAME) --pods POD1,POD2',
  short: 'Delete specific Pods of a CloneSet and lower its replicas',
  examples: ['kubectl-kruise scaledown web --pods web-a,web-b'],
  flags: [list('pods', 'Names of the Pods.')],
  load: async () => (await import('./change-commands.ts')).scaledown,
};

const get: Command = kubectl('get', other, 'Display one or many resources', {
  usage: '(all | TYPE [NAME]) [flags]',
  examples: ['kubectl-kruise get all -n default', 'kubectl-kruise get clonesets -o wide'],
  passThrough: false,
  kubectl: ['get'],
  commands: [
    {
      name: 'all',
      short: 'Display the objects of all kinds of Kruise',
      flags: [allNamespacesFlag, selectorFlag, text('output', 'wide for more columns.', { short: 'o' })],
      load: async () => (await import('./change-commands.ts')).getAll,
    },
  ],
});

const describe: Command = {
  name: 'describe',
  group: other,
  usage: '(rollout NAME | TYPE NAME) [flags]',
  short: 'Show details of a resource',
  kubectl: ['describe'],
  commands: [
    {
      name: 'rollout',
      aliases: ['rollouts', 'ro'],
      usage: 'NAME [flags]',
      short: 'Show the state of a Rollout',
      examples: ['kubectl-kruise describe rollout web', 'kubectl-kruise describe rollout web -w --no-color'],
      flags: [
        bool('watch', 'Print again at every change.', { short: 'w' }),
        bool('no-color', 'Print no colors.'),
        bool('all', 'List the Pods of all steps.'),
        int('timeout', '0', 'Seconds to watch, 0 for no limit.'),
      ],
      load: async () => (await import('./change-commands.ts')).describeRollout,
    },
  ],
};

const texts: readonly Command[] = [
  {
    name: 'completion',
    group: other,
    usage: 'bash|zsh|fish|powershell | install [SHELL]',
    short: 'Print or install the completion script of a shell',
    long: 'Print the completion script of a shell. With install, write it to the file from which the shell loads it. If kubectl_complete-kruise is not in the PATH, install also writes it beside kubectl-kruise, so that kubectl completes kubectl kruise.\n\nWithout a name, install uses the shell in $SHELL.',
    examples: ['source <(kubectl-kruise completion bash)', 'kubectl-kruise completion install', 'kubectl-kruise completion install zsh'],
    offline: true,
    load: async () => (await import('./other/text.ts')).completion,
  },
  {
    name: 'version',
    group: other,
    short: 'Print the versions of plugin and server',
    flags: [bool('client', 'Print only the version of the plugin.'), text('output', 'json or yaml.', { short: 'o' })],
    load: async () => (await import('./other/text.ts')).version,
  },
  {
    name: 'options',
    group: other,
    short: 'Print the flags of all commands',
    offline: true,
    load: async () => (await import('./other/text.ts')).options,
  },
  {
    name: 'generate-docs',
    group: other,
    short: 'Write the documentation of all commands into docs',
    hidden: true,
    offline: true,
    load: async () => (await import('./other/generate-docs.ts')).run,
  },
  {
    name: 'alpha',
    group: other,
    short: 'Commands that may change',
    hidden: true,
    offline: true,
    load: async () => (await import('./other/text.ts')).nothing,
  },
  {
    name: '__complete',
    short: 'Print words that can follow',
    hidden: true,
    passThrough: true,
    load: async () => (await import('./other/text.ts')).complete,
  },
];

export const rootCommand: Command = {
  name: 'kubectl-kruise',
  short: 'kubectl-kruise controls the workloads of Kruise',
  long: 'kubectl-kruise controls the workloads of Kruise, in every version that the server serves.',
  commands: [
    create,
    expose,
    kubectl('scale', basic, 'Set the replicas of a Deployment, CloneSet, Advanced StatefulSet, UnitedDeployment and others'),
    exec,
    tree,
    why,
    top,
    logs,
    plan,
    lint,
    check,
    rollout,
    set,
    migrate,
    adopt,
    scaledown,
    diff,
    kubectl('apply', advanced, 'Apply files to resources'),
    kubectl('patch', advanced, 'Update fields of a resource'),
    kubectl('replace', advanced, 'Replace resources by files'),
    kubectl('wait', advanced, 'Wait for a condition of resources'),
    kubectl('kustomize', advanced, 'Build a kustomization'),
    get,
    describe,
    ...texts,
    kubectl('config', other, 'Change kubeconfig files'),
    kubectl('plugin', other, 'List plugins'),
    kubectl('api-versions', other, 'Print the versions of the server'),
    kubectl('api-resources', other, 'Print the kinds of the server'),
  ],
};

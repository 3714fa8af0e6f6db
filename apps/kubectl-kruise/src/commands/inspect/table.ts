/** Commands that look at workloads: revisions, Pods, progress, causes and logs. */
import type { Command } from '../../cli/command.ts';
import { allNamespacesFlag, bool, duration, fileFlags, int, list, selectorFlag, text } from '../../cli/flags.ts';

const troubleshooting = 'Troubleshooting and Debugging Commands:';

export const diff: Command = {
  name: 'diff',
  group: 'Advanced Commands:',
  usage: '(-f FILENAME | (TYPE NAME | TYPE/NAME) [REVISION [REVISION]]) [-o json]',
  short: 'Compare two revisions of a workload, or files with what is applied',
  long: 'Compare two revisions of a workload: each field that differs, and whether Pods are updated in place.\n\nA revision is a number, a name, the hash at the end of the name, current or update. Without a revision, the command compares the current revision with the update revision. It compares a single revision with the update revision. With -f or -k, kubectl compares files with the applied objects.\n\nThe exit code is 0 if nothing differs, 1 if something differs, and 2 after a failure.',
  examples: ['kubectl-kruise diff clone/web', 'kubectl-kruise diff clone/web 1 3', 'kubectl-kruise diff -f web.yaml'],
  flags: [
    list('revision', 'Revisions to compare, instead of arguments.'),
    text('output', 'json for the differences as data.', { short: 'o' }),
    ...fileFlags,
    int('concurrency', '1', 'With -f: number of objects to compare at a time.'),
    text('field-manager', 'With -f: name of the field owner.', { default: 'kubectl-client-side-apply' }),
    bool('force-conflicts', 'With -f: apply despite conflicts.'),
    bool('prune', 'With -f: also objects that pruning would delete.'),
    list('prune-allowlist', 'With --prune: kinds instead of the default ones.'),
    text('selector', 'With -f: label selector.', { short: 'l' }),
    bool('server-side', 'With -f: apply on the API server.'),
    bool('show-managed-fields', 'With -f: also compare metadata.managedFields.'),
  ],
  failureCode: 2,
  load: async () => (await import('../read-commands.ts')).diff,
};

export const top: Command = {
  name: 'top',
  group: troubleshooting,
  usage: 'TYPE [NAME...] [-A] [-l SELECTOR] [-w] [-o json]',
  short: 'Show progress, restarts and use of the Pods of each object of a kind',
  long: 'Show one row for each object of a kind: ready, updated and desired Pods, restarts, CPU and memory of its Pods, its state and the cause that blocks it.\n\nCPU and memory come from metrics.k8s.io. Without it, the command omits them, and says so on stderr.',
  examples: ['kubectl-kruise top clonesets', 'kubectl-kruise top asts -A -w', 'kubectl-kruise top clone web -o json'],
  flags: [
    allNamespacesFlag,
    selectorFlag,
    bool('watch', 'Show changes until Ctrl-C: on a terminal in place, into a pipe the lines that changed.', { short: 'w' }),
    text('output', 'json for the rows as data.', { short: 'o' }),
  ],
  load: async () => (await import('../read-commands.ts')).top,
};

export const logs: Command = {
  name: 'logs',
  group: troubleshooting,
  usage: '(POD | TYPE/NAME) [--revision REVISION] [-f] [-c CONTAINER]',
  short: 'Print the logs of all Pods of a workload',
  long: 'Print the logs of all Pods of a workload, each line with Pod and container.\n\nWith -f, the command includes new Pods and restarted containers.',
  examples: [
    'kubectl-kruise logs clone/web --tail=20',
    'kubectl-kruise logs clone/web --revision update -f',
    'kubectl-kruise logs asts/db -c db --since=10m',
  ],
  flags: [
    text('revision', 'Only Pods of this revision: current, update, a number, a name or the hash at its end.'),
    bool('follow', 'Print lines as they are written, until the workload is deleted.', { short: 'f' }),
    text('container', 'Name of the container. Default: the container that the Pod marks as default, or the first one.', { short: 'c' }),
    bool('all-containers', 'All containers of each Pod.'),
    int('tail', '-1', 'Lines of each log that exists at the start, -1 for all.'),
    duration('since', '0s', 'Only newer lines than this, of each log that exists at the start.'),
    text('since-time', 'Only lines since this time (RFC 3339), of each log that exists at the start.'),
    bool('prefix', 'Print Pod and container before each line; by default for workloads.'),
    bool('timestamps', 'Print the time of each line.'),
    bool('previous', 'Of the last run of each container, before its restart.', { short: 'p' }),
    int('max-log-requests', '5', 'Logs that are read at the same time.'),
  ],
  load: async () => (await import('../read-commands.ts')).logs,
};

export const tree: Command = {
  name: 'tree',
  group: troubleshooting,
  usage: '(TYPE NAME | TYPE/NAME) [-w] [-o json] [--all]',
  short: 'Show an object with its revisions, Pods and containers',
  long: 'Show an object with its revisions, Pods and containers, and the budgets, spreads, pulls and probes that act on its Pods.\n\nA large tree is reduced to 60 lines: similar Pods share a line.',
  examples: ['kubectl-kruise tree clone/web', 'kubectl-kruise tree asts/db -w', 'kubectl-kruise tree ud/web -o json'],
  flags: [
    bool('watch', 'Show changes until the object is deleted: on a terminal in place, into a pipe one line a change.', {
      short: 'w',
    }),
    bool('all', 'Show every Pod and container.'),
    text('output', 'json for the whole tree as data.', { short: 'o' }),
  ],
  load: async () => (await import('../read-commands.ts')).tree,
};

export const why: Command = {
  name: 'why',
  group: troubleshooting,
  usage: '(TYPE NAME | TYPE/NAME) [-o json]',
  short: 'Explain what prevents an object from making progress',
  long: 'Explain what prevents an object from making progress: the first cause, its evidence and the next step.\n\nThe exit code is 0 if nothing prevents progress, 1 if there is a cause, and 2 if the command cannot determine the cause.',
  examples: ['kubectl-kruise why clone/web', 'kubectl-kruise why pod/web-7xk2p', 'kubectl-kruise why ud/web -o json'],
  flags: [text('output', 'json for the verdict as data.', { short: 'o' })],
  failureCode: 2,
  load: async () => (await import('../read-commands.ts')).why,
};

/** `rollout` and its commands. */
import type { Command } from '../../cli/command.ts';
import { bool, dryRunFlags, duration, fileFlags, int, printFlags, text } from '../../cli/flags.ts';

const kinds =
  'deployments, daemonsets, statefulsets, clonesets, statefulsets.apps.kruise.io, daemonsets.apps.kruise.io, rollouts.rollouts.kruise.io';
const selector = text('selector', 'Label selector of the objects.', { short: 'l' });
const usage = '(TYPE NAME | TYPE/NAME) [flags]';
const common = [selector, ...fileFlags, ...printFlags];

export const rollout: Command = {
  name: 'rollout',
  group: 'CloneSet and Advanced StatefulSet Commands:',
  short: 'Manage the rollout of a resource',
  long: `Manage the rollout of one or many resources.\n\nValid resource types: ${kinds}.`,
  examples: ['kubectl-kruise rollout undo cloneset/abc', 'kubectl-kruise rollout status cloneset/abc'],
  commands: [
    {
      name: 'history',
      usage,
      short: 'View the revisions of a rollout',
      examples: ['kubectl-kruise rollout history cloneset/abc', 'kubectl-kruise rollout history asts/abc --revision=3'],
      flags: [int('revision', '0', 'Show the Pod template of this revision.'), ...common],
      load: async () => (await import('../change-commands.ts')).history,
    },
    {
      name: 'pause',
      usage,
      short: 'Stop the update of a resource',
      examples: ['kubectl-kruise rollout pause cloneset/abc'],
      flags: common,
      load: async () => (await import('../change-commands.ts')).pause,
    },
    {
      name: 'restart',
      usage,
      short: 'Restart the Pods of a resource',
      examples: ['kubectl-kruise rollout restart cloneset/abc', 'kubectl-kruise rollout restart ads -l app=agent'],
      flags: common,
      load: async () => (await import('../change-commands.ts')).restart,
    },
    {
      name: 'resume',
      usage,
      short: 'Continue the update of a resource',
      examples: ['kubectl-kruise rollout resume cloneset/abc'],
      flags: common,
      load: async () => (await import('../change-commands.ts')).resume,
    },
    {
      name: 'status',
      usage,
      short: 'Wait until a rollout is complete',
      examples: [
        'kubectl-kruise rollout status cloneset/abc',
        'kubectl-kruise rollout status clone/abc --watch=false',
        'kubectl-kruise rollout status clone/abc --timeout=5m --detail',
      ],
      flags: [
        bool('watch', 'Wait until the rollout is complete.', { default: 'true', short: 'w' }),
        int('revision', '0', 'Fail if a Deployment runs a revision other than this one.'),
        duration('timeout', '0s', 'Time to wait, 0 for no limit.'),
        bool('detail', 'List the Pods of the update revision of a CloneSet.', { short: 'd' }),
        selector,
        ...fileFlags,
      ],
      load: async () => (await import('../change-commands.ts')).status,
    },
    {
      name: 'undo',
      usage,
      short: 'Roll back to an earlier revision',
      examples: [
        'kubectl-kruise rollout undo cloneset/abc',
        'kubectl-kruise rollout undo cloneset/abc --to-revision=3',
        'kubectl-kruise rollout undo rollout/abc --fast',
      ],
      flags: [
        int('to-revision', '0', 'Revision to restore; 0 for the one before the newest.'),
        bool('fast', 'Roll back to the earlier step of a Rollout that has no traffic and the most Pods.'),
        ...dryRunFlags,
        ...common,
      ],
      load: async () => (await import('../change-commands.ts')).undo,
    },
    {
      name: 'approve',
      usage: '(NAME | rollout/NAME) [flags]',
      short: 'Continue a Rollout that is paused at a step',
      examples: ['kubectl-kruise rollout approve rollout/abc', 'kubectl-kruise rollout approve abc'],
      flags: common,
      load: async () => (await import('../change-commands.ts')).approve,
    },
  ],
};

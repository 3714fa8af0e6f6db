/** `create` and its commands; what it does not have itself is kubectl's. */
import type { Command } from '../../cli/command.ts';
import { bool, dryRunFlags, fieldManagerFlag, int, list, printFlags, saveConfigFlag, text } from '../../cli/flags.ts';

const common = [saveConfigFlag, fieldManagerFlag('kubectl-create'), ...dryRunFlags, ...printFlags];
const jobFlags = [
  text('image', 'Image to run.'),
  text('from', 'Object whose template is used, such as cronjob/NAME or acj/NAME.'),
  ...common,
];

export const create: Command = {
  name: 'create',
  group: 'Basic Commands:',
  usage: '-f FILENAME',
  short: 'Create a resource from a file or from stdin',
  examples: ['kubectl-kruise create -f cloneset.yaml', 'kubectl-kruise create broadcastJob pull --image=busybox -- true'],
  kubectl: ['create'],
  commands: [
    {
      name: 'job',
      usage: 'NAME (--image=image | --from=TYPE/NAME) -- [COMMAND] [args...]',
      short: 'Create a Job',
      examples: ['kubectl-kruise create job one --image=busybox -- date', 'kubectl-kruise create job one --from=acj/nightly'],
      flags: jobFlags,
      load: async () => (await import('../change-commands.ts')).job,
    },
    {
      name: 'broadcastJob',
      aliases: ['broadcastjob', 'bcj'],
      usage: 'NAME (--image=image | --from=acj/NAME) -- [COMMAND] [args...]',
      short: 'Create a BroadcastJob',
      examples: ['kubectl-kruise create broadcastJob one --image=busybox -- date', 'kubectl-kruise create bcj one --from=acj/nightly'],
      flags: jobFlags,
      load: async () => (await import('../change-commands.ts')).broadcastJob,
    },
    {
      name: 'ContainerRecreateRequest',
      aliases: ['containerrecreaterequest', 'crr', 'CRR'],
      usage: 'NAME --pod=POD [--containers=a,b]',
      short: 'Create a ContainerRecreateRequest, which restarts containers in place',
      examples: [
        'kubectl-kruise create ContainerRecreateRequest restart --pod=web-1',
        'kubectl-kruise create crr restart --pod=web-1 --containers=app -u 5',
      ],
      flags: [
        text('pod', 'Pod whose containers are restarted.', { short: 'p' }),
        list('containers', 'Containers to restart; all of the Pod by default.'),
        int('unreadyGracePeriodSeconds', '3', 'Seconds for which the Pod is not ready before a container is stopped.', { short: 'u' }),
        int('minStartedSeconds', '3', 'Seconds for which a new container must run to count as restarted.', { short: 'm' }),
        int('terminationGracePeriodSeconds', '0', 'Seconds in which a container must terminate. Default: the value of the Pod.'),
        text('failurePolicy', 'Fail stops at the first container that fails, Ignore continues.', { default: 'Fail' }),
        bool('orderedRecreate', 'Restart one container after the other.'),
        bool('forceRecreate', 'Also restart containers that have restarted since the request, or are starting.'),
        int('ttlSecondsAfterFinished', '1800', 'Seconds for which the finished request is kept.'),
        int('activeDeadlineSeconds', '300', 'Seconds after which the request ends.'),
        ...common,
      ],
      load: async () => (await import('../change-commands.ts')).containerRecreateRequest,
    },
  ],
};

/** `set` and its commands. */
import type { Command } from '../../cli/command.ts';
import { bool, list, recordFlag, setFlags, text, texts } from '../../cli/flags.ts';

const containers = text('containers', 'Names of the containers; * matches any text.', { default: '*', short: 'c' });

export const set: Command = {
  name: 'set',
  group: 'CloneSet and Advanced StatefulSet Commands:',
  short: 'Set specific features on objects',
  long: 'Set specific features on objects.\n\nThe commands change one field of pods, replicationcontrollers, deployments, statefulsets, daemonsets, replicasets, jobs, cronjobs, clonesets,\nstatefulsets.apps.kruise.io, daemonsets.apps.kruise.io and sidecarsets, and no other field.',
  commands: [
    {
      name: 'image',
      usage: '(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N',
      short: 'Update the image of a Pod template',
      examples: [
        'kubectl-kruise set image cloneset/abc nginx=nginx:1.27',
        "kubectl-kruise set image cloneset/abc '*=nginx:1.27' --dry-run=client -o yaml",
      ],
      flags: [recordFlag, ...setFlags],
      load: async () => (await import('../change-commands.ts')).image,
    },
    {
      name: 'env',
      usage: 'RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N',
      short: 'Update environment variables of a Pod template',
      examples: [
        'kubectl-kruise set env cloneset/abc STORAGE_DIR=/local',
        'kubectl-kruise set env cloneset/abc STORAGE_DIR-',
        'kubectl-kruise set env cloneset/abc --list',
        'kubectl-kruise set env cloneset/abc --from=configmap/settings',
      ],
      flags: [
        containers,
        texts('env', 'A variable to set; - reads them from stdin.', { short: 'e' }),
        text('from', 'Secret or ConfigMap whose keys become variables, such as secret/NAME.'),
        text('prefix', 'Text before the names of variables of --from.'),
        list('keys', 'Keys of --from to take; all of them by default.'),
        bool('list', 'Print the variables.'),
        bool('resolve', 'With --list, print the values behind references.'),
        bool('overwrite', 'Replace variables that have another value.', { default: 'true' }),
        ...setFlags,
      ],
      load: async () => (await import('../change-commands.ts')).env,
    },
    {
      name: 'resources',
      usage: '(-f FILENAME | TYPE NAME) ([--limits=LIMITS] [--requests=REQUESTS])',
      short: 'Update resource requests and limits of a Pod template',
      examples: ['kubectl-kruise set resources cloneset/abc --limits=cpu=200m,memory=512Mi -c=nginx'],
      flags: [
        containers,
        list('limits', 'Limits, such as cpu=100m,memory=256Mi.'),
        list('requests', 'Requests, such as cpu=100m,memory=256Mi.'),
        ...setFlags,
      ],
      load: async () => (await import('../change-commands.ts')).resources,
    },
    {
      name: 'selector',
      usage: '(-f FILENAME | TYPE NAME) EXPRESSIONS',
      short: 'Set the selector of a Service',
      examples: ['kubectl-kruise set selector service abc app=abc'],
      flags: [text('resource-version', 'Version that the object must have.'), ...setFlags],
      load: async () => (await import('../change-commands.ts')).selector,
    },
    {
      name: 'serviceaccount',
      aliases: ['sa'],
      usage: '(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT',
      short: 'Update the service account of a Pod template',
      examples: ['kubectl-kruise set serviceaccount cloneset/abc account'],
      flags: [recordFlag, ...setFlags],
      load: async () => (await import('../change-commands.ts')).serviceAccount,
    },
    {
      name: 'subject',
      usage: '(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname]',
      short: 'Add subjects to a RoleBinding or ClusterRoleBinding',
      examples: ['kubectl-kruise set subject rolebinding admin --user=user1 --group=group1'],
      flags: [
        texts('user', 'User to add.'),
        texts('group', 'Group to add.'),
        texts('serviceaccount', 'Service account to add, as namespace:name.'),
        ...setFlags,
      ],
      load: async () => (await import('../change-commands.ts')).subject,
    },
  ],
};

/** Commands that say what files do before they are applied. */
import type { Command } from '../../cli/command.ts';
import { bool, fileFlags, text } from '../../cli/flags.ts';

const group = 'Troubleshooting and Debugging Commands:';

export const plan: Command = {
  name: 'plan',
  group,
  usage: '-f FILENAME [-o text|json|yaml]',
  short: 'Predict the effect of a change on Pods',
  long: 'Predict the effect of a change on Pods: which are updated in place, recreated or untouched, in which batches, the limit of each batch, and the field that forces recreation.\n\nThe command changes nothing: the API server fills in defaults in a dry run. It uses the rules of the manager, and assumes that every changed Pod becomes ready.\n\nThe exit code is 0, 2 if Pods are recreated although the update policy requests updates in place, or 1 after an error.',
  examples: ['kubectl-kruise plan -f web.yaml', 'kustomize build . | kubectl-kruise plan -f -', 'kubectl-kruise plan -f web.yaml -o json'],
  flags: [
    ...fileFlags,
    text('output', 'text, json or yaml.', { default: 'text', short: 'o' }),
    text('feature-gates', 'Feature gates to assume instead of those of the manager.'),
  ],
  load: async () => (await import('./plan.ts')).run,
};

export const lint: Command = {
  name: 'lint',
  group,
  usage: '-f FILENAME [-R] [-o text|json|sarif] [--strict]',
  short: 'Check files without a cluster',
  long: 'Check files without a cluster: settings that the API server or a webhook of the manager refuses, and settings that are accepted but never work.\n\nAn error is refused, a warning cannot work, and a note is a hint. The command reads objects of other groups for references, but checks only autoscalers among them. To ignore findings, write a comment "# kruise-lint: ignore=KR104" before an object, or before or behind a field, or set the annotation kubectl-kruise/lint-ignore of the object.\n\nThe exit code is 0, 1 if there is an error, or a warning with --strict, or 2 if a file cannot be read.',
  examples: [
    'kubectl-kruise lint -f web.yaml',
    'kubectl-kruise lint -f manifests -R --strict',
    'kustomize build . | kubectl-kruise lint -f -',
    'kubectl-kruise lint -f manifests -o sarif > lint.sarif',
  ],
  flags: [
    ...fileFlags,
    text('output', 'text, json or sarif.', { default: 'text', short: 'o' }),
    text('feature-gates', 'Feature gates of the manager, if they are not the defaults.'),
    bool('strict', 'Exit with 1 if there are warnings.'),
  ],
  failureCode: 2,
  offline: true,
  load: async () => (await import('./lint.ts')).run,
};

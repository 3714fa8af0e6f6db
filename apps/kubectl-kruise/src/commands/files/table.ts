/** Commands that say what files do before they are applied. */
import type { Command } from '../../cli/command.ts';
import { bool, fileFlags, text } from '../../cli/flags.ts';

const group = 'Troubleshooting and Debugging Commands:';

export const plan: Command = {
  name: 'plan',
  group,
  usage: '-f FILENAME [-o text|json|yaml]',
  short: 'Predict what a change does to Pods',
  long: 'Predict what a change does to Pods: which are updated in place, recreated or untouched, in which batches, what limits each batch, and the field that forces recreation.\n\nNothing is changed: the API server fills in defaults in a dry run. The rules are those of the manager, on the assumption that a Pod that was acted on becomes ready.\n\nThe exit code is 0, or 2 when Pods are recreated although the update policy asks for updates in place, and 1 on errors.',
  examples: ['kubectl-kruise plan -f web.yaml', 'kustomize build . | kubectl-kruise plan -f -', 'kubectl-kruise plan -f web.yaml -o json'],
  flags: [
    ...fileFlags,
    text('output', 'text', 'text, json or yaml.', { short: 'o' }),
    text('feature-gates', '', 'Feature gates of the manager, if they are not the defaults.'),
  ],
  load: async () => (await import('./plan.ts')).run,
};

export const lint: Command = {
  name: 'lint',
  group,
  usage: '-f FILENAME [-R] [-o text|json|sarif] [--strict]',
  short: 'Check files without a cluster',
  long: 'Check files without a cluster: what the API server and the webhooks of the manager say when the objects are created, and what is accepted and never works.\n\nAn error is refused, a warning cannot work, and a note is a hint. Objects of other groups are read for references; of these only autoscalers are checked. A comment "# kruise-lint: ignore=KR104" before an object, before a field or behind it, or the annotation kubectl-kruise/lint-ignore of the object, ignores findings.\n\nThe exit code is 0, or 1 with an error, or with a warning and --strict, and 2 when a file cannot be read.',
  examples: [
    'kubectl-kruise lint -f web.yaml',
    'kubectl-kruise lint -f manifests -R --strict',
    'kustomize build . | kubectl-kruise lint -f -',
    'kubectl-kruise lint -f manifests -o sarif > lint.sarif',
  ],
  flags: [
    ...fileFlags,
    text('output', 'text', 'text, json or sarif.', { short: 'o' }),
    text('feature-gates', '', 'Feature gates of the manager, if they are not the defaults.'),
    bool('strict', 'false', 'Exit with 1 when there are warnings.'),
  ],
  failureCode: 2,
  offline: true,
  load: async () => (await import('./lint.ts')).run,
};

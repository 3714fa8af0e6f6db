/** Checks by dry-run creations: what the API server answers shows whether definition, webhooks and conversion of a kind work together. */
import { allKinds } from '@kruise/api';
import { counted } from '@kruise/objects';
import { check, fault, named, skipped, sound, type Check, type Verdict } from '../check.ts';
import type { SampleAnswer } from '../facts.ts';

interface Answered {
  readonly kind: string;
  readonly answer: SampleAnswer;
}

const answersOf = (samples: ReadonlyMap<string, SampleAnswer>): readonly Answered[] =>
  allKinds.flatMap(({ kind, plural }) => {
    const answer = samples.get(plural);
    return answer === undefined ? [] : [{ kind, answer }];
  });

const refusals = (answers: readonly Answered[], about: RegExp): readonly (Answered & { readonly message: string })[] =>
  answers.flatMap((one) =>
    one.answer.kind === 'Refused' && about.test(one.answer.message) ? [{ ...one, message: one.answer.message }] : [],
  );

// The API server gives a call that failed no reason or cause of its own: only the message says which of the parts has failed. An unknown message counts
// as the refusal of an object.
const uncalled = /failed calling webhook|failed to call webhook/;
const unconverted = /conversion webhook|error converting|conversion (failed|for)/i;

/** What follows the last `: ` of a chain of Go errors, which names the cause. */
const causeOf = (message: string): string => /x509: .*$/.exec(message)?.[0] ?? message.split(': ').slice(-2).join(': ').slice(0, 200);

/** Where to look, by what the API server says of a call that failed. */
function nextOf(message: string): string {
  if (/x509|certificate/.test(message)) return 'See the checks ca-bundle, ca-secret and serving-certificate.';
  if (/no endpoints available|service .* not found/.test(message)) return 'See the checks webhook-service and webhook-endpoints.';
  if (/timeout|deadline exceeded|i\/o/i.test(message))
    return 'Let the control plane reach the webhook port of the manager (firewall, network policy, or manager.hostNetwork).';
  if (/refused|no route|reset/.test(message))
    return 'No process listens at this address: check that the manager runs, and the port of the Service.';
  return 'Look at the log of the manager.';
}

/**
 * Returns the verdict on creations that had no answer in time, undefined if there is none. One server answers for every kind: if it cannot be reached, no
 * kind has an answer. If other kinds have one, the machine may only be slow.
 */
function lateVerdict(answers: readonly Answered[]): Verdict | undefined {
  const late = answers.filter(({ answer }) => answer.kind === 'TimedOut');
  if (late.length === 0) return undefined;
  const message = `A dry-run creation of ${named(late.map(({ kind }) => kind))} had no answer in time.`;
  if (late.length === answers.length) return fault(message, nextOf('timeout'));
  return { kind: 'Unknown', message, next: 'Run the check again: the webhooks of other kinds have answered.' };
}

const webhooksAnswer = check('admission-webhooks', 'The API server reaches the webhooks of every kind.', ['samples'], ({ samples }) => {
  const answers = answersOf(samples);
  if (answers.length === 0) return skipped('No kind is served.');
  const failed = refusals(answers, uncalled);
  const [first] = failed;
  if (first !== undefined)
    return fault(
      `The API server cannot call the webhooks of ${named(failed.map(({ kind }) => kind))}: ${causeOf(first.message)}`,
      nextOf(first.message),
    );
  return lateVerdict(answers) ?? sound(counted(answers.length, 'kind'));
});

const conversionAnswers = check(
  'admission-conversion',
  'Objects of the oldest served version are converted.',
  ['samples'],
  ({ samples }) => {
    const answers = answersOf(samples);
    if (answers.length === 0) return skipped('No kind is served.');
    const failed = refusals(answers, unconverted).filter(({ message }) => !uncalled.test(message));
    const [first] = failed;
    return first === undefined
      ? sound(counted(answers.length, 'kind'))
      : fault(`The conversion of ${named(failed.map(({ kind }) => kind))} failed: ${causeOf(first.message)}`, nextOf(first.message));
  },
);

/** What no version of a kind refuses by itself: the definition differs from the release, or a policy of another owner refuses the object. */
const samplesAccepted = check('admission-objects', 'A small object of every kind is accepted.', ['samples'], ({ samples }) => {
  const answers = answersOf(samples);
  if (answers.length === 0) return skipped('No kind is served.');
  const refused = refusals(answers, /./).filter(({ message }) => !uncalled.test(message) && !unconverted.test(message) && !isOurs(message));
  const rights = refused.filter(({ message }) => isRight(message));
  const others = refused.filter(({ message }) => !isRight(message));
  const [first] = others;
  if (first !== undefined)
    return fault(
      `${named(others.map(({ kind }) => kind))} ${others.length === 1 ? 'is' : 'are'} refused: ${first.message.slice(0, 300)}`,
      /denied the request|ValidatingAdmissionPolicy|quota/.test(first.message)
        ? 'A policy that is not of Kruise refuses objects of this kind: change the policy or exclude the kind.'
        : 'Apply the CRDs of the release of the manager.',
    );
  const [right] = rights;
  return right === undefined
    ? sound(counted(answers.length, 'kind'))
    : { kind: 'Unknown', message: right.message, next: 'Run the check as a user who may create objects of Kruise.' };
});

/**
 * Whether a webhook of Kruise refuses the object: it was called, and knows more than the sample does, such as a gate or an absent Pod. The refusal of a
 * webhook and the lack of a right may both be `Forbidden`.
 */
const isOurs = (message: string): boolean => /admission webhook "(again\.)?[mv][a-z0-9-]+\.kb\.io" denied the request/.test(message);
const isRight = (message: string): boolean => /is forbidden: User "/.test(message);

export const admissionChecks: readonly Check[] = [webhooksAnswer, conversionAnswers, samplesAccepted];

/**
 * Warnings about an AdvancedCronJob that is allowed but fails at run time or is probably a mistake: shown, never refused. @see
 * spec/advancedcronjob.md 8
 */
import {
  formatFieldError,
  imageLimits,
  isJsonObject,
  isUnset,
  memberAt,
  membersAt,
  workloadLimits,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { templateMetadata } from '../../pod-template/validation/checks/template-metadata.ts';
import { deadlineFault, parallelismFault, pullPolicyWarnings } from '../../validation/image-pull.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { validateNodeTerms } from '../../pod-template/node-term-size.ts';
import { validateBroadcastJobRules, validateRestartPolicy } from '../broadcastjob/validation.ts';
import { broadcastJobWarnings } from '../broadcastjob/rules.ts';
import type { KindRule } from '../../validation/kind-rules.ts';
import type { ScheduleRules } from './schedule-rules.ts';

/** The name of a job is that of the AdvancedCronJob, `-` and ten digits, and may have 63 characters. */
const maxNameLength = 52;
/** Seconds that a run may be late even in an idle cluster. */
const usualDelay = 10;
/** More of them would not be read. */
const mostFaults = 3;

type Warn = (spec: JsonObject, name: unknown, schedules: ScheduleRules) => readonly string[];

const template = (spec: JsonObject, name: string): JsonObject => membersAt(membersAt(spec, 'template'), name);
const hasTemplate = (spec: JsonObject, name: string): boolean => isJsonObject(memberAt(spec, 'template', name));

const inVain = (faults: readonly FieldError[], kind: string): readonly string[] =>
  faults.slice(0, mostFaults).map((fault) => `${formatFieldError(fault)}; no ${kind} can be created`);

const ignoredMetadata = ['name', 'generateName', 'namespace', 'finalizers', 'ownerReferences'];

/** Warns about metadata: only labels and annotations are copied to each job. */
function metadataWarnings(metadata: JsonObject, path: string, kind: string): readonly string[] {
  const { labels, annotations } = metadata;
  const ignored = ignoredMetadata.filter((name) => !isUnset(metadata[name]) && metadata[name] !== '');
  return [
    ...inVain(faultsBy(templateMetadata, { labels, annotations }, path), kind),
    ...(ignored.length === 0 ? [] : [`${path}: ${ignored.join(', ')} have no effect; only labels and annotations are for the jobs`]),
  ];
}

const jobs: Warn = (spec) => {
  const path = 'spec.template.jobTemplate';
  const job = template(spec, 'jobTemplate');
  return [
    ...inVain(validateRestartPolicy(membersAt(job, 'spec')['template'], `${path}.spec.template`), 'Job'),
    ...metadataWarnings(membersAt(job, 'metadata'), `${path}.metadata`, 'Job'),
  ];
};

/** Warns of a job that never ends: it blocks its successors, or they accumulate; Replace ends it. */
function endlessWarnings(spec: JsonObject, job: JsonObject, path: string): readonly string[] {
  const { concurrencyPolicy } = spec;
  if (memberAt(job, 'completionPolicy', 'type') !== 'Never' || concurrencyPolicy === 'Replace') return [];
  const effect = concurrencyPolicy === 'Forbid' ? 'only the first one is ever created' : 'they pile up';
  return [`${path}.completionPolicy.type: a BroadcastJob with Never stays active, so that with ${String(concurrencyPolicy)} ${effect}`];
}

const broadcastJobs: Warn = (spec) => {
  const path = 'spec.template.broadcastJobTemplate';
  if (!hasTemplate(spec, 'broadcastJobTemplate')) return [];
  const job = template(spec, 'broadcastJobTemplate');
  const jobSpec = membersAt(job, 'spec');
  return [
    ...inVain(validateBroadcastJobRules(jobSpec, `${path}.spec`), 'BroadcastJob'),
    ...inVain(validateNodeTerms(jobSpec['template'], undefined, `${path}.spec.template`), 'BroadcastJob'),
    ...broadcastJobWarnings({ spec: jobSpec }, { oldObject: undefined }).map((text) => `${path}.${text}`),
    ...endlessWarnings(spec, jobSpec, `${path}.spec`),
    ...(jobSpec['paused'] === true ? [`${path}.spec.paused: each BroadcastJob waits until a user resumes it`] : []),
    ...metadataWarnings(membersAt(job, 'metadata'), `${path}.metadata`, 'BroadcastJob'),
  ];
};

const shortestInterval = imageLimits.intervalOfLists.value;

const tooOften: Warn = ({ schedule }, _name, { periodOf }) =>
  typeof schedule === 'string' && (periodOf(schedule) ?? shortestInterval) < shortestInterval
    ? [`spec.schedule: an ImageListPullJob is created every ${String(shortestInterval / 1000)} s at most, the times in between are skipped`]
    : [];

const imageListPullJobs: Warn = (spec, name, schedules) => {
  const path = 'spec.template.imageListPullJobTemplate';
  if (!hasTemplate(spec, 'imageListPullJobTemplate')) return [];
  const job = template(spec, 'imageListPullJobTemplate');
  const jobSpec = membersAt(job, 'spec');
  const parallelism = ['number', 'string'].includes(typeof jobSpec['parallelism']) ? parallelismFault(jobSpec) : undefined;
  const isTimeoutDefault = isUnset(membersAt(jobSpec, 'pullPolicy')['timeoutSeconds']);
  const deadline = isTimeoutDefault ? deadlineFault(jobSpec) : undefined;
  return [
    ...(parallelism === undefined ? [] : [`${path}.spec.parallelism: ${parallelism}; no ImageListPullJob can be created`]),
    ...(deadline === undefined ? [] : [`${path}.spec.completionPolicy: ${deadline}; no image can be pulled`]),
    ...pullPolicyWarnings({ spec: jobSpec }).map((text) => `${path}.${text}`),
    ...tooOften(spec, name, schedules),
    ...metadataWarnings(membersAt(job, 'metadata'), `${path}.metadata`, 'ImageListPullJob'),
  ];
};

const longName: Warn = (spec, name) =>
  typeof name === 'string' && name.length > maxNameLength && (hasTemplate(spec, 'jobTemplate') || hasTemplate(spec, 'broadcastJobTemplate'))
    ? [`metadata.name: longer than ${String(maxNameLength)} characters, so that the names of its jobs are too long and none can be created`]
    : [];

const zone: Warn = ({ schedule, timeZone }) => {
  if (typeof schedule !== 'string') return [];
  if (/^(CRON_)?TZ=/.test(schedule)) return ['spec.schedule: the time zone is better set in spec.timeZone'];
  const isNamed = typeof timeZone === 'string' && timeZone !== '';
  return isNamed && /^\s*@every\s/.test(schedule) ? ['spec.timeZone: has no effect with @every'] : [];
};

const impossible: Warn = ({ schedule }, _name, { neverComes }) =>
  typeof schedule === 'string' && neverComes(schedule)
    ? [`spec.schedule: ${JSON.stringify(schedule)} names days that no month has, so that it never comes`]
    : [];

const startingDeadline: Warn = ({ startingDeadlineSeconds: seconds }) =>
  typeof seconds === 'number' && seconds >= 0 && seconds < usualDelay
    ? [`spec.startingDeadlineSeconds: with ${String(seconds)}, which is less than ${String(usualDelay)}, runs may be skipped`]
    : [];

const mostKept = workloadLimits.keptOfCron.value;

const history: Warn = (spec) =>
  ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].flatMap((name) => {
    const limit = spec[name];
    return typeof limit === 'number' && limit > mostKept
      ? [`spec.${name}: ${String(mostKept)} finished jobs are kept at most, older ones are deleted`]
      : [];
  });

/** The warnings, in the order in which they are shown. */
export const warnings: readonly KindRule<unknown, ScheduleRules>[] = [
  longName,
  zone,
  impossible,
  startingDeadline,
  history,
  jobs,
  broadcastJobs,
  imageListPullJobs,
].map((warn) => ({ warn: (object, schedules) => warn(membersAt(object, 'spec'), memberAt(object, 'metadata', 'name'), schedules) }));

/** `set image`, `set resources`, `set serviceaccount`, `set subject`. */
import { UserError } from '../../failure.ts';
import type { Run } from '../../cli/command.ts';
import { changeObjects, changePodSpec } from '../../session/apply-change.ts';
import { parseSubjects, withSubjects } from '../../set/bindings.ts';
import { parseResourceList, splitImageArguments, withImages, withResources } from '../../set/containers.ts';

export const image: Run = async (call, session) => {
  const { resources, pairs } = splitImageArguments(call.args);
  return changeObjects(call, session, resources, { change: changePodSpec((spec) => withImages(spec, pairs)), operation: 'image updated' });
};

export const resources: Run = async (call, session) => {
  const [limits, requests] = [parseResourceList(call.flags.list('limits')), parseResourceList(call.flags.list('requests'))];
  if (Object.keys(limits).length + Object.keys(requests).length === 0)
    throw new UserError('you must specify an update to requests or limits (in the form of --requests/--limits)');
  const pattern = call.flags.text('containers');
  const change = changePodSpec((spec) => withResources(spec, { limits, requests }, pattern));
  return changeObjects(call, session, call.args, { change, operation: 'resource requirements updated' });
};

export const serviceAccount: Run = async (call, session) => {
  const account = call.args.at(-1);
  if (account === undefined) throw new UserError('serviceaccount is required');
  const change = changePodSpec((spec) => ({ ...spec, serviceAccountName: account }));
  return changeObjects(call, session, call.args.slice(0, -1), { change, operation: 'serviceaccount updated' });
};

export const subject: Run = async (call, session) => {
  const { flags } = call;
  const subjects = parseSubjects({ users: flags.list('user'), groups: flags.list('group'), accounts: flags.list('serviceaccount') });
  return changeObjects(call, session, call.args, { change: (object) => withSubjects(object, subjects), operation: 'subjects updated' });
};

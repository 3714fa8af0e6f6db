import { expect, it } from '@jest/globals';
import { type HostFacts, reasonAgainstRealNodes } from './host-commands.ts';

const able: HostFacts = {
  platform: 'linux',
  isRoot: true,
  capabilities: '000001ffffffffff',
  missingCommands: [],
  whyNotInstalled: undefined,
};
const lacking = { missingCommands: ['runc'] };

it.each<[string, Partial<HostFacts>, string | undefined]>([
  ['Linux as root with all commands', {}, undefined],
  ['Linux as root where commands can be installed', lacking, undefined],
  ['Linux where capabilities cannot be read', { capabilities: undefined }, undefined],
  ['macOS', { platform: 'darwin', ...lacking }, 'this is macOS'],
  ['another system', { platform: 'freebsd' }, 'this is freebsd'],
  ['another user than root', { isRoot: false }, 'this user is not root'],
  ['a container that is not privileged', { capabilities: '00000000a80425fb' }, 'need CAP_NET_ADMIN and CAP_SYS_ADMIN'],
  ['a process that cannot mount', { capabilities: '0000000000001000' }, 'need CAP_SYS_ADMIN'],
  ['no apt-get', { ...lacking, whyNotInstalled: 'there is no apt-get' }, 'because there is no apt-get'],
  ['no apt-get, and nothing missing', { whyNotInstalled: 'there is no apt-get' }, undefined],
])('%s: real nodes are possible, or the reason against them is returned', (_name, facts, reason) => {
  const why = reasonAgainstRealNodes({ ...able, ...facts });
  if (reason === undefined) expect(why).toBeUndefined();
  else expect(why).toContain(reason);
});

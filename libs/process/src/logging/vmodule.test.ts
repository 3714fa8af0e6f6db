import { describe, expect, it } from '@jest/globals';
import { parseFlags } from '../flags/flag-set.ts';
import { logFlags } from './log-flags.ts';
import { parseVmodule } from './vmodule.ts';

describe('--vmodule', () => {
  it.each<{ given: string; name: string; then: number }>([
    { given: '', name: 'cloneset-controller', then: 0 },
    { given: 'cloneset-controller=5', name: 'cloneset-controller', then: 5 },
    { given: 'cloneset-controller=5', name: 'cloneset-controller-2', then: 0 },
    { given: 'cloneset-controller=5', name: 'a-cloneset-controller', then: 0 },
    { given: 'cloneset*=5', name: 'cloneset-controller', then: 5 },
    { given: 'cloneset*=5', name: 'cloneset', then: 5 },
    { given: '*-controller=4', name: 'webhook-server', then: 0 },
    { given: 'cr?=4', name: 'crr', then: 4 },
    { given: 'cr?=4', name: 'cr', then: 0 },
    { given: 'a.b=4', name: 'a.b', then: 4 },
    { given: 'a.b=4', name: 'axb', then: 0 },
    { given: 'reflector=2,crr=7', name: 'crr', then: 7 },
    { given: 'crr=0,*=7', name: 'crr', then: 0 },
    { given: ',crr=7,', name: 'crr', then: 7 },
    { given: 'crr=12', name: 'crr', then: 12 },
  ])('$given gives $name the verbosity $then', ({ given, name, then }) => {
    const parsed = parseVmodule(given);
    expect(parsed.kind === 'Parsed' && parsed.verbosityOf(name)).toBe(then);
  });

  it.each(['crr', 'crr=', '=4', 'crr=much', 'crr=-1', 'crr=4=5', 'a b=4', 'crr=4;reflector=4', 'crr=4,reflector'])(
    'refuses %s in one line that names the flag, the value and the allowed ones',
    (text) => {
      expect(parseFlags(logFlags, [`--vmodule=${text}`])).toEqual({
        kind: 'Failed',
        message:
          `invalid argument ${JSON.stringify(text)} for --vmodule: must be PATTERN=N,... ` +
          'with the name of a logger (* matches any characters, ? matches one) and a verbosity of 0 or more',
      });
    },
  );
});

import { describe, expect, it } from '@jest/globals';
import { parseFlags } from '../flags/flag-set.ts';
import { profilingFaults, profilingFlags, type ProfilingFlags } from './profiling-flags.ts';

function read(...argv: readonly string[]): ProfilingFlags {
  const parsed = parseFlags(profilingFlags(8090), argv);
  if (parsed.kind !== 'Parsed') throw new Error('these flags must parse');
  return parsed.values;
}

describe('flags of profiles', () => {
  it('serve profiles to the own host, without the contents of the memory, by default', () => {
    expect(read()).toEqual({ 'enable-pprof': true, 'pprof-addr': 'localhost:8090', 'enable-heap-snapshots': false });
  });

  it.each<[string[], RegExp]>([
    [['--pprof-addr=8090'], /^--pprof-addr must be host:port or :port, not "8090"$/],
    [['--enable-heap-snapshots', '--pprof-addr=:8090'], /^--pprof-addr must be of localhost, 127\.0\.0\.1 or \[::1\] .*, not ":8090"$/],
    [['--enable-heap-snapshots', '--pprof-addr=0.0.0.0:8090'], /, not "0\.0\.0\.0:8090"$/],
    [['--enable-heap-snapshots', '--pprof-addr=node1:8090'], /, not "node1:8090"$/],
  ])('%j are refused', (argv, line) => {
    expect(profilingFaults(read(...argv))).toEqual([expect.stringMatching(line)]);
  });

  it.each([
    [['--pprof-addr=:8090']],
    [['--enable-heap-snapshots']],
    [['--enable-heap-snapshots', '--pprof-addr=[::1]:8090']],
    [['--enable-pprof=false', '--enable-heap-snapshots', '--pprof-addr=:8090']],
  ])('%j are accepted', (argv) => {
    expect(profilingFaults(read(...argv))).toEqual([]);
  });
});

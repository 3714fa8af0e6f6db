import { describe, expect, it } from '@jest/globals';
import { artifactUri } from './artifact-uri.ts';

describe('a file in SARIF', () => {
  it.each([
    ['web.yaml', 'web.yaml'],
    ['manifests\\web.yaml', 'manifests/web.yaml'],
    ['.\\manifests\\a b#1.yaml', 'manifests/a%20b%231.yaml'],
    ['manifests/web.yaml', 'manifests/web.yaml'],
    ['..\\other\\web.yaml', '../other/web.yaml'],
    ['100%.yaml', '100%25.yaml'],
    ['部署\\web.yaml', '%E9%83%A8%E7%BD%B2/web.yaml'],
    ['C:\\work\\repo\\manifests\\web.yaml', 'manifests/web.yaml'],
    ['c:\\Work\\repo\\manifests\\Web.yaml', 'manifests/Web.yaml'],
    ['C:\\work\\repo-2\\web.yaml', 'file:///C:/work/repo-2/web.yaml'],
    ['D:\\a b\\web.yaml', 'file:///D:/a%20b/web.yaml'],
    ['\\\\server\\share\\web.yaml', 'file://server/share/web.yaml'],
    ['STDIN', 'STDIN'],
    ['https://example.com/a%20b.yaml?x=1', 'https://example.com/a%20b.yaml?x=1'],
  ])('that Windows calls %s is %s', (place, uri) => {
    expect(artifactUri(place, { windows: true, folder: 'C:\\work\\repo' })).toBe(uri);
  });

  it.each([
    ['manifests/web.yaml', 'manifests/web.yaml'],
    ['./web.yaml', 'web.yaml'],
    ['././/web.yaml', 'web.yaml'],
    ['./', './'],
    ['a\\b.yaml', 'a%5Cb.yaml'],
    ['c:/web.yaml', 'c%3A/web.yaml'],
    ['a?b#c.yaml', 'a%3Fb%23c.yaml'],
    ['\uD800.yaml', '%EF%BF%BD.yaml'],
    ['/work/repo/manifests/web.yaml', 'manifests/web.yaml'],
    ['/work/Repo/web.yaml', 'file:///work/Repo/web.yaml'],
    ['/work/repository/web.yaml', 'file:///work/repository/web.yaml'],
  ])('that other systems call %s is %s', (place, uri) => {
    expect(artifactUri(place, { windows: false, folder: '/work/repo' })).toBe(uri);
  });

  it('below the root of the file system is relative to it', () => {
    expect(artifactUri('/web.yaml', { windows: false, folder: '/' })).toBe('web.yaml');
    expect(artifactUri('C:\\web.yaml', { windows: true, folder: 'C:\\' })).toBe('web.yaml');
  });

  it.each([true, false])('has a URI that a parser reads, whatever its name is (Windows: %s)', (windows) => {
    for (const place of [' ', '%', '[x]', '"', 'a\tb', 'é', "it's (1)!.yaml"]) {
      const uri = artifactUri(place, { windows, folder: '/work' });
      expect(uri).toMatch(/^[\w!'()*.~%-]+$/);
      expect(decodeURIComponent(uri)).toBe(place);
    }
  });
});

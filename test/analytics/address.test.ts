import { describe, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../src/analytics/address.js';

describe('an analytics address', () => {
  it.each([
    ['postgres://u:p@db:5433/name', 'postgres', 'postgres://u:p@db:5433/name'],
    ['postgresql://db/name?sslmode=require', 'postgres', 'postgres://db/name?sslmode=require'],
    ['clickhouse://u:p%40@ch/name', 'clickhouse', 'http://u:p%40@ch:8123/name'],
    ['clickhouse+http://ch:80/name', 'clickhouse', 'http://ch:80/name'],
    ['clickhouse+https://ch/name', 'clickhouse', 'https://ch:8443/name'],
    ['clickhouse://ch/name?secure=true', 'clickhouse', 'https://ch:8443/name'],
    ['chdb:data/units', 'chdb', 'data/units'],
    ['sqlite:///relative.db', 'sqlite', 'relative.db'],
    ['sqlite:////var/absolute.db', 'sqlite', '/var/absolute.db'],
    ['sqlite:with%20space.db', 'sqlite', 'with space.db'],
  ])('%s names %s at %s', (uri, kind, address) => {
    expect(parseAnalyticsUri(uri)).toEqual({ kind, address });
  });

  it.each(['mongodb://u:secret@db/name', 'db', '', 'sqlite:', 'clickhouse:secret', 'postgres:secret', 'chdb:%zz'])(
    '%s is refused, and the message does not repeat it',
    (uri) => {
      expect(() => parseAnalyticsUri(uri)).toThrow(/is invalid\. Use one of postgres:\/\//);
      expect(() => parseAnalyticsUri(uri)).not.toThrow(/secret/);
    },
  );
});

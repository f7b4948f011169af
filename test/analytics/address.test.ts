import { describe, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../src/analytics/address.js';
import { hostsOf } from '../../src/analytics/clickhouse/hosts.js';

describe('an analytics address', () => {
  it.each([
    ['postgres://u:p@db:5433/name', 'postgres', 'postgres://u:p@db:5433/name'],
    ['postgresql://db/name?sslmode=require', 'postgres', 'postgres://db/name?sslmode=require'],
    ['clickhouse://u:p%40@ch/name', 'clickhouse', 'http://u:p%40@ch:8123/name'],
    ['clickhouse+http://ch:80/name', 'clickhouse', 'http://ch:80/name'],
    ['clickhouse+https://ch/name', 'clickhouse', 'https://ch:8443/name'],
    ['clickhouse://ch/name?secure=true', 'clickhouse', 'https://ch:8443/name'],
    ['clickhouse://ch/name?cluster=main', 'clickhouse', 'http://ch:8123/name?cluster=main'],
    ['clickhouse://u:p@h1,h2:9/n?cluster={c}', 'clickhouse', 'http://u:p@h1:8123,h2:9/n?cluster=%7Bc%7D'],
    ['clickhouse+https://h1,[::1]/n?cluster=c', 'clickhouse', 'https://h1:8443,[::1]:8443/n?cluster=c'],
    ['chdb:data/units', 'chdb', 'data/units'],
    ['sqlite:///relative.db', 'sqlite', 'relative.db'],
    ['sqlite:////var/absolute.db', 'sqlite', '/var/absolute.db'],
    ['sqlite:with%20space.db', 'sqlite', 'with space.db'],
  ])('%s names %s at %s', (uri, kind, address) => {
    expect(parseAnalyticsUri(uri)).toEqual({ kind, address });
  });

  it.each(['clickhouse://h1,h2/name', 'clickhouse://h1,/n?cluster=c', "clickhouse://h1/n?cluster=c'secret"])(
    '%s is refused: several hosts are servers of one cluster, whose name is part of statements',
    (uri) => {
      expect(() => parseAnalyticsUri(uri)).toThrow(/is invalid/);
    },
  );

  it('is split into one address per host', () => {
    expect(hostsOf('http://u:p@h1:8123,h2:9/n?ch_insert_quorum=0&cluster=%7Bc%7D')).toEqual({
      urls: ['http://u:p@h1:8123/n?ch_insert_quorum=0', 'http://u:p@h2:9/n?ch_insert_quorum=0'],
      cluster: '{c}',
    });
    expect(hostsOf('http://ch:80/name')).toEqual({ urls: ['http://ch:80/name'], cluster: undefined });
  });

  it.each(['mongodb://u:secret@db/name', 'db', '', 'sqlite:', 'clickhouse:secret', 'postgres:secret', 'chdb:%zz'])(
    '%s is refused, and the message does not repeat it',
    (uri) => {
      expect(() => parseAnalyticsUri(uri)).toThrow(/is invalid\. Use one of postgres:\/\//);
      expect(() => parseAnalyticsUri(uri)).not.toThrow(/secret/);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { addressOf, allowedAddresses } from '../../../src/contract/outbound/addresses.js';

const isAllowed = allowedAddresses({ networks: [] });

describe('an address that an organization may have called', () => {
  it.each(['1.1.1.1', '140.82.121.6', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:1.1.1.1'])('is %s', (address) => {
    expect(isAllowed(address)).toBe(true);
  });

  it.each([
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback beside .1', '127.8.8.8'],
    ['a private network', '10.0.0.1'],
    ['a private network', '172.16.0.1'],
    ['a private network', '192.168.1.1'],
    ['link-local, with the metadata of clouds', '169.254.169.254'],
    ['carrier-grade NAT, with the metadata of Alibaba Cloud', '100.100.100.200'],
    ['the metadata server of Azure', '168.63.129.16'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['benchmarks', '198.18.0.1'],
    ['the 6to4 relay', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped private', '::ffff:a00:1'],
    ['IPv4-translated', '::ffff:0:10.0.0.1'],
    ['NAT64', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::1'],
    ['6to4 of a private address', '2002:a00:1::1'],
    ['Teredo', '2001:0:1::1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['benchmarks', '2001:2::1'],
    ['discard', '100::1'],
    ['segment routing', '5f00::1'],
    ['outside of global unicast', '4000::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
  ])('is not %s (%s)', (_what, address) => {
    expect(isAllowed(address)).toBe(false);
  });

  it('may be in a network that the setting allows', () => {
    const allowed = allowedAddresses({ networks: ['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32'] });
    const addresses = [
      '10.1.2.3',
      '::ffff:10.1.2.3',
      '192.168.7.7',
      'fd00:1::5',
      '10.2.0.1',
      '192.168.7.8',
      'fd00:2::1',
    ];
    expect(addresses.filter(allowed)).toEqual(['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.7', 'fd00:1::5']);
  });
});

describe('the address in a URL', () => {
  it.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ])('of %s is %s', (url, address) => {
    expect(addressOf(new URL(url).hostname)).toBe(address);
  });

  it('is undefined if the host is a name', () => {
    expect(addressOf(new URL('http://localhost/').hostname)).toBeNull();
  });
});

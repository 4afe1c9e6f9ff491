/**
 * The address that a request comes from, for limits and lists of sign-ins: never for a permission.
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Where a proxy in front of this server may stand: this machine and private networks. */
const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** What a proxy on a near address says last in `X-Forwarded-For`, otherwise the other end of the socket. */
export const addressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
  const peer = plain(request.socket?.remoteAddress ?? '')
  const family = isIP(peer)
  if (family === 0) return 'unknown'
  const header = request.headers['x-forwarded-for']
  const told = plain(
    (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim() ?? '',
  )
  return isIP(told) !== 0 && near.check(peer, family === 6 ? 'ipv6' : 'ipv4') ? told : peer
}

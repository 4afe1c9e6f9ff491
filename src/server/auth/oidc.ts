/**
 * Sign-in by the company's OpenID Connect provider: the settings that the library takes, and who may come in by it.
 * Knows nothing of members.
 */
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import type { OidcOptions } from './types.ts'

/** The path that the provider sends people back to is `/api/auth/callback/` and this. */
export const oidcId = 'oidc'

/** Identity rests on a verified ID token, a nonce, PKCE and the discovered issuer's keys. */
export const oidcPlugin = ({ issuer, clientId, clientSecret, name, trustEmail }: OidcOptions) =>
  genericOAuth({
    config: [
      {
        providerId: oidcId,
        name,
        clientId,
        ...(clientSecret === null ? {} : { clientSecret }),
        discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        requireIdTokenVerification: true,
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
        // A picture would be fetched from elsewhere by whoever sees the name.
        mapProfileToUser: (profile) => ({
          name: profile.name ?? profile.email ?? '',
          image: undefined,
          ...(trustEmail ? { emailVerified: true } : {}),
        }),
      },
    ],
  })

type Claimed = { email?: string | null | undefined; emailVerified?: boolean | undefined }

/** Why the provider's word is not enough; null = it is. */
export const refusedByProvider = (
  { domains }: OidcOptions,
  { email, emailVerified }: Claimed,
): string | null => {
  const domain = (email ?? '').toLowerCase().split('@').at(-1) ?? ''
  if (domains.length > 0 && !domains.includes(domain)) return 'email_domain_not_allowed'
  return emailVerified === true ? null : 'email_not_verified'
}

import type { LogonTokenResponseDto } from '../../shared/dtos/logon-token.ts'

/** `origin` starts the link. All characters of a token are valid in a query. */
export const presentLogonToken = (
  origin: string,
  { token, deviceId, expiresAt }: { token: string; deviceId: string; expiresAt: number },
): LogonTokenResponseDto => ({
  deviceAccessUrl: `${origin}/device-access?deviceId=${deviceId}&logonToken=${token}`,
  expiresAt: new Date(expiresAt).toISOString(),
  token,
})

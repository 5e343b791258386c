import type { LogonTokenResponseDto } from '../../shared/dtos/logon-token.ts'

/** `origin` is the address that the link starts with. Every character of a token may stand in a query as it is. */
export const presentLogonToken = (
  origin: string,
  { token, deviceId, expiresAt }: { token: string; deviceId: string; expiresAt: number },
): LogonTokenResponseDto => ({
  deviceAccessUrl: `${origin}/device-access?deviceId=${deviceId}&logonToken=${token}`,
  expiresAt: new Date(expiresAt).toISOString(),
  token,
})

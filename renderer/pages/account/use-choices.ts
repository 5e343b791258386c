import { useMutation } from '@tanstack/react-query'
import type { NotificationChoicesDto } from '../../../shared/api/appliance-notifications.ts'
import type { QuietHoursDto } from '../../../shared/dtos/contact-method.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { invalidate } from '../../api/query-client.ts'

/** Stores the choices of the person beside the contact methods. */
export function useChoices({ isNativeOn, quietHours }: NotificationChoicesDto) {
  return useMutation({
    mutationFn: (changes: { isNativeOn?: boolean; quietHours?: QuietHoursDto | null }) =>
      api.notifications.choose({ body: { isNativeOn, quietHours, ...changes } }),
    onSettled: () => invalidate(accountQueries.notifications.queryKey),
  })
}

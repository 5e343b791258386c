import { testEmail } from '../../shared/api/test-email.ts'
import { sendTestMail } from '../identity/account-mail.ts'
import { implement } from '../surface/implement.ts'

export const testEmailRoutes = implement(testEmail, {
  send: (call) => sendTestMail(call),
})

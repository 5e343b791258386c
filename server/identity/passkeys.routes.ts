import { appliancePasskeys } from '../../shared/api/appliance-passkeys.ts'
import { presentPasskey } from './present.ts'
import { presentSignInOutcome } from '../people/present.ts'
import {
  addPasskey,
  beginAddition,
  beginPasskeySignIn,
  listPasskeys,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
} from './passkeys.ts'
import { startSession } from './sign-in.ts'
import { describeSite } from './webauthn.ts'
import { implement, signedInPerson } from '../surface/implement.ts'

export const appliancePasskeyRoutes = implement(appliancePasskeys, {
  list: async (call) => ({
    items: (await listPasskeys(signedInPerson(call))).map(presentPasskey),
    site: describeSite(call.siteOrigin()),
  }),
  additionOptions: async (call) => beginAddition(signedInPerson(call)),
  add: async (call, { body }) => presentPasskey(await addPasskey(signedInPerson(call), body)),
  rename: async (call, { params: { passkeyId }, body: { name } }) =>
    renamePasskey(signedInPerson(call), passkeyId, name),
  remove: async (call, { params: { passkeyId } }) => removePasskey(signedInPerson(call), passkeyId),
  signInOptions: (call) => beginPasskeySignIn(call),
  signIn: async (call, { body }) => {
    const signIn = await signInWithPasskey(call, body)
    if (signIn.user) {
      await startSession(call, signIn.user, { isPersistent: call.app.config.appOptions.persistPasskeyLogin })
    }
    return presentSignInOutcome(signIn)
  },
})

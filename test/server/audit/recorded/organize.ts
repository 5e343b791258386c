import { account } from '../../../support/server.ts'
import { newName, target, type Acts, type Scene } from './scene.ts'

const newTag = async ({ owner: { tags, tenantId } }: Scene) => {
  const name = newName()
  const { id: tagId } = await tags.create({ tenantId, body: { name } })
  return { name, tagId, at: { tenantId, params: { tagId } } }
}

const newNote = async ({ owner, agent }: Scene) => {
  const params = { deviceId: agent.id }
  const { id: noteId } = await owner.applianceDeviceNotes.add({ params, body: { text: 'Toner' } })
  return { ...params, noteId }
}

const newView = async ({ owner }: Scene) => {
  const body = { name: newName(), query: 'is:online', sort: 'name', isShared: true }
  return { body, id: (await owner.applianceDeviceViews.create({ body })).id }
}

/** Acts on notes, views, tags and customers. */
export const actsOfOrganizing: Acts = [
  [
    'device.note-added',
    'a note',
    async (scene) => {
      await newNote(scene)
      return { deviceId: scene.agent.id }
    },
  ],
  [
    'device.note-changed',
    'a note',
    async (scene) => {
      const params = await newNote(scene)
      await scene.owner.applianceDeviceNotes.edit({ params, body: { text: 'Paper' } })
      return { deviceId: scene.agent.id }
    },
  ],
  [
    'device.note-deleted',
    'a note',
    async (scene) => {
      const params = await newNote(scene)
      await scene.owner.applianceDeviceNotes.delete({ params })
      return { deviceId: scene.agent.id, details: { author: account.email } }
    },
  ],
  [
    'settings.view-shared',
    'a new view',
    async (scene) => {
      const { body } = await newView(scene)
      return target('setting', body.name)
    },
  ],
  [
    'settings.view-unshared',
    'a shared view',
    async (scene) => {
      const { body, id: viewId } = await newView(scene)
      await scene.owner.applianceDeviceViews.delete({ params: { viewId } })
      return target('setting', body.name)
    },
  ],
  [
    'settings.customer-details-changed',
    'contacts',
    async ({ owner: { customers, applianceOrganization, tenantId } }) => {
      const name = newName()
      const { id: customerId } = await customers.create({ tenantId, body: { name } })
      const body = { contacts: [{ name: 'Grace' }] }
      await applianceOrganization.setCustomer({ tenantId, params: { customerId }, body })
      return target('customer', name)
    },
  ],
  ['settings.tag-created', 'a tag', async (scene) => target('tag', (await newTag(scene)).name)],
  [
    'settings.tag-renamed',
    'a tag',
    async (scene) => {
      const { at } = await newTag(scene)
      const name = newName()
      await scene.owner.tags.rename({ ...at, body: { name } })
      return target('tag', name)
    },
  ],
  [
    'settings.tag-deleted',
    'a tag',
    async (scene) => {
      const { at, name } = await newTag(scene)
      await scene.owner.tags.delete(at)
      return target('tag', name)
    },
  ],
  [
    'settings.tag-colored',
    'a tag',
    async (scene) => {
      const { at, name } = await newTag(scene)
      await scene.owner.applianceOrganization.setTagColor({ ...at, body: { color: 'teal' } })
      return target('tag', name)
    },
  ],
  [
    'settings.tag-merged',
    'two tags',
    async (scene) => {
      const [from, into] = [await newTag(scene), await newTag(scene)]
      await scene.owner.applianceOrganization.mergeTag({ ...from.at, body: { intoTagId: into.tagId } })
      return { ...target('tag', from.name), details: { into: into.name, devices: 0 } }
    },
  ],
]

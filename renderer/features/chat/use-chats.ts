import { useSyncExternalStore } from 'react'
import { allChats, onChatChange } from './chats.ts'

/** The chats with people at devices, those of all devices. */
export const useChats = () => useSyncExternalStore(onChatChange, allChats)

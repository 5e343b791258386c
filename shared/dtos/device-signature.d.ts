/**
 * The bytes that the signature of a device update covers (`docs/hubs.md`, "What is signed"): MessagePack made from its values.
 * `update` holds the members exactly as they arrived (parsed JSON, before any schema adds defaults or cuts text);
 * `timestamp` and `publicKey` are the texts of the same message. Throws `TypeError` naming the member that is unknown
 * or of a wrong type: such an update cannot be verified.
 */
export declare function encodeSignedDeviceUpdate(update: object, timestamp: string, publicKey: string | null): Uint8Array;

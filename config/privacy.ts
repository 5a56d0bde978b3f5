/**
 * ONNX Runtime keeps a device id and sends usage events to its maker unless it is told not to when its library loads.
 * Nothing here is sent anywhere, so whatever loads it imports this module first, on the main thread: a worker thread's
 * environment is a copy that the library does not see.
 */
process.env.ORT_DISABLE_TELEMETRY = '1'

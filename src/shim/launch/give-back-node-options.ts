// Loaded in front of drift's own command line when the caller has NODE_OPTIONS, which `bin/drift` kept from this Node:
// the programs that a command starts get them all the same.
process.env['NODE_OPTIONS'] = process.env['DRIFT_NODE_OPTIONS'];
delete process.env['DRIFT_NODE_OPTIONS'];
